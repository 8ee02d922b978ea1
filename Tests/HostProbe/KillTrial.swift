import DictationCore
import DictationEngines
import DictationTesting
import Foundation
import Glibc

/// Sessions whose helpers are killed at random moments. The final results must be those of an undisturbed session, and
/// nothing may be left of any helper.
struct KillTrial: Sendable {
    /// The number of kills in all.
    let count: Int
    let seed: UInt64
    private static let signals = [SIGKILL, SIGSTOP, SIGSEGV, SIGABRT]
    private static let workers = 8

    /// Returns a line about each session with other results, then a line with the numbers.
    func run() async throws -> [String] {
        // libdispatch opens descriptors of its own with the first timer.
        try await Task.sleep(for: .milliseconds(1))
        let before = try Leftovers()
        let tally = Watched(Tally())
        var problems: [String] = []
        try await withThrowingTaskGroup(of: [String].self) { group in
            for worker in 0..<Self.workers { group.addTask { try await self.problems(of: worker, tally) } }
            for try await found in group { problems += found }
        }
        // The last helpers end on threads of their own.
        var after = try Leftovers()
        for _ in 0..<1_000 where after != before {
            try await Task.sleep(for: .milliseconds(10))
            after = try Leftovers()
        }
        if after != before { problems.append("left: \(after), before: \(before)") }
        let total = tally.value
        return problems + ["\(total.kills >= count ? "all" : "too few") kills, \(total)"]
    }

    private struct Tally: Sendable {
        var kills = 0
        var sessions = 0
    }

    private func problems(of worker: Int, _ tally: Watched<Tally>) async throws -> [String] {
        var random = SplitMix64(seed: seed &+ UInt64(worker) &* 1_000_003)
        let engine = Self.engine(worker)
        let expected = try await finals(of: Self.engine(worker + Self.workers), random: &random).results
        var problems: [String] = []
        while tally.value.kills < count {
            let (results, kills) = try await finals(of: engine, killing: true, random: &random)
            tally.change { ($0.kills, $0.sessions) = ($0.kills + kills, $0.sessions + 1) }
            if results != expected { problems.append("worker \(worker) had \(results), not \(expected)") }
        }
        return problems
    }

    /// An engine with a helper that no other engine shares.
    private static func engine(_ worker: Int) -> HostedEngine {
        var configuration = HostedEngine.Configuration()
        configuration.retention = worker % 2 == 0 ? .whileInUse : .lingering(.milliseconds(50))
        configuration.responseTimeout = .seconds(5)
        configuration.progressTimeout = .seconds(300 + worker)
        return HostedEngine(.scripted(), configuration: configuration)
    }

    private func finals(
        of engine: HostedEngine, killing: Bool = false, random: inout SplitMix64
    ) async throws -> (results: [SpeechResult], kills: Int) {
        // Three deaths on the same audio would give it up, and one may come by itself on a busy machine.
        let kills = Watched((all: 0, sinceFinal: 0))
        let killer: @Sendable (Int32, Duration) async -> Void = { signal, delay in
            try? await Task.sleep(for: delay)
            guard let helper = engine.helper, kills.value.sinceFinal < 2 else { return }
            kills.change { ($0.all, $0.sinceFinal) = ($0.all + 1, $0.sinceFinal + 1) }
            kill(helper, signal)
        }
        var moments: [Int: (signal: Int32, delay: Duration)] = [:]
        if killing {
            for _ in 0..<6 {
                moments[Int.random(in: 0..<100, using: &random)] = (
                    Self.signals.randomElement(using: &random) ?? SIGKILL,
                    .microseconds(Int.random(in: 0...20_000, using: &random))
                )
            }
        }
        var (start, buffers) = (0, [AudioBuffer]())
        while start < 16_000 * 8 {
            let size = min(Int.random(in: 1...3_200, using: &random), 16_000 * 8 - start)
            buffers.append(AudioBuffer(silence: size, format: .speech, start: .seconds(Double(start) / 16_000)))
            start += size
        }
        var options = RecognitionOptions.liveDictation()
        options.finalizationTimeout = .seconds(300)
        let session = try await engine.makeSession(options)
        try session.start(
            AudioInput { [buffers, moments] in
                var next = 0
                return {
                    if let moment = moments[next] { Task { await killer(moment.signal, moment.delay) } }
                    // About as long as a kill may be delayed.
                    if killing { try? await Task.sleep(for: .microseconds(200)) }
                    defer { next += 1 }
                    return next < buffers.count ? buffers[next] : nil
                }
            })
        var results: [SpeechResult] = []
        for try await update in session.results {
            if case .interrupted(let interruption) = update, interruption.lost != nil {
                throw DictationError(.engineFailed, "Audio was left out: \(interruption)")
            }
            guard let result = update.finalResult else { continue }
            results.append(result)
            kills.change { $0.sinceFinal = 0 }
        }
        guard try await session.finish() == .complete else {
            throw DictationError(.timedOut, "The session did not end in time.")
        }
        return (results, kills.value.all)
    }
}

/// What could be left of helpers: children, also those that nobody waited for, descriptors and shared memory.
private struct Leftovers: Equatable {
    var children: [String] = []
    var descriptors = 0
    var mappings = 0

    init() throws {
        let files = FileManager.default
        for thread in try files.contentsOfDirectory(atPath: "/proc/self/task") {
            let text = try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)
            children += (text ?? "").split(separator: " ").map(String.init)
        }
        for descriptor in try files.contentsOfDirectory(atPath: "/proc/self/fd") {
            let target = (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + descriptor)) ?? ""
            if target.hasPrefix("socket:") || target.contains("dictation-audio") || target.contains("eventfd") {
                descriptors += 1
            }
        }
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        mappings = maps.split(separator: "\n").count { $0.contains("dictation-audio") }
    }
}
