import DictationTesting
import Foundation
import Testing

/// A few inputs every day; `Scripts/fuzz parsers` runs as many as it is told.
@Suite struct FuzzTests {
    private let count = variable("DICTATION_FUZZ_INPUTS").flatMap { Int($0) } ?? 300
    private let seed = variable("DICTATION_FUZZ_SEED").flatMap { UInt64($0) } ?? 1
    /// Where each input is written before it is read, so that one which ends the process is there afterwards.
    private let keep = variable("DICTATION_FUZZ_KEEP").map { URL(filePath: $0) }

    /// The targets, or the one that `DICTATION_FUZZ_TARGET` names.
    private static let targets = variable("DICTATION_FUZZ_TARGET").map { [FuzzTarget(rawValue: $0)].compactMap(\.self) }

    @Test(arguments: targets ?? FuzzTarget.allCases) func anyInputIsTakenOrRefused(target: FuzzTarget) throws {
        let corpus = try target.corpus()
        let taken = try corpus.filter { try target.read($0).get() }.count
        #expect(taken > 0 && taken < corpus.count, "The corpus needs inputs of both kinds.")
        let start = ContinuousClock.now
        var mutation = Mutation(of: corpus, random: SplitMix64(seed: seed))
        var (accepted, wrong) = (0, 0)
        for number in 0..<count {
            let input = mutation.next()
            if let keep { try Data(input).write(to: keep.appending(path: "\(target.rawValue)-last")) }
            switch target.read(input) {
            case .success(let isTaken): accepted += isTaken ? 1 : 0
            case .failure(let reason):
                wrong += 1
                if let keep { try Data(input).write(to: keep.appending(path: "\(target.rawValue)-\(number)")) }
                if wrong <= 5 { Issue.record("input \(number) of seed \(seed): \(reason)\n\(shown(input))") }
            }
        }
        #expect(accepted > 0 && accepted < count, "Every input was treated the same.")
        guard keep != nil else { return }
        // The process has nothing else to do then.
        let megabytes = try peakMegabytes()
        #expect(megabytes < 600, "Some input took much memory.")
        let seconds = (ContinuousClock.now - start).components.seconds
        print(
            "fuzzed \(target.rawValue): \(count) inputs, seed \(seed), \(accepted) taken, \(wrong) wrong, \(seconds) s, \(megabytes) MB"
        )
    }

    private func peakMegabytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first) >> 10
    }

    private func shown(_ input: [UInt8]) -> String {
        String(String(decoding: input, as: UTF8.self).debugDescription.prefix(400))
    }
}

private func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
