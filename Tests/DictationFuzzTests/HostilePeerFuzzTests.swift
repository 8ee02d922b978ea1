import DictationCore
import DictationSystem
import DictationTesting
import Foundation
import Testing

@testable import DictationEngines

/// Programs and helpers that can't be trusted, over real connections. Each test reads ten packets for each of the
/// inputs of ``FuzzTests``.
@Suite(.serialized) struct HostilePeerFuzzTests {
    private static func variable(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
    private let count = Int(variable("DICTATION_FUZZ_INPUTS") ?? 300) * 10
    private let seed = variable("DICTATION_FUZZ_SEED") ?? 1

    @Test func aHostileHelperHarmsNoProgram() async throws {
        var files: Set<DescribedFile> = []
        try await expectNoHarm("a program", within: 400) {
            try await HostileHelper.connection(seed: $0, messages: $1, files: &files)
        }
        // The last threads of a connection end on their own.
        for _ in 0..<1_000 where !DescribedFile.open.isDisjoint(with: files) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(DescribedFile.open.isDisjoint(with: files), "Descriptors are left.")
    }

    @Test func aHostileProgramHarmsNoHelper() async throws {
        try await expectNoHarm("a helper", within: 4_000) { seed, messages in
            try await blocking { Result { try HostileProgram.connection(seed: seed, messages: messages) } }.get()
        }
    }

    private func expectNoHarm(
        _ victim: String, within length: Int,
        _ connection: (UInt64, Int) async throws -> (count: Int, problems: [String])
    ) async throws {
        let start = ContinuousClock.now
        var (total, connections, problems) = (0, 0, [String]())
        while total < count, problems.count < 5 {
            connections += 1
            let seed = seed &* 1_000_003 &+ UInt64(connections)
            let (count, found) = try await connection(seed, length)
            total += count
            problems += found.map { "connection \(seed): \($0)" }
        }
        #expect(problems == [])
        print(
            "fuzzed \(victim): \(total) packets in \(connections) connections, \(problems.count) wrong, "
                + "\((ContinuousClock.now - start).components.seconds) s")
    }

    /// A helper gets other descriptors than a program gives it.
    @Test func aHelperWithoutItsMemoryEnds() throws {
        let pair = try HelperSocketPair()
        let stream = try ProgramPipe(.toProgram)
        let file = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(file) }
        for (connection, memory) in [(pair.theirs, file), (pair.theirs, stream.theirs), (file, file)] {
            let helper = try HostileProgram.start(connection: connection, memory: memory)
            #expect(helper.wait() == HelperRole.misuse)
        }
    }
}

/// What a descriptor of this process refers to. Other tests have descriptors, too.
struct DescribedFile: Hashable {
    private let device: dev_t
    private let number: ino_t

    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }

    /// What all descriptors refer to.
    static var open: Set<DescribedFile> {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return Set(descriptors.compactMap { Int32($0) }.compactMap { DescribedFile($0) })
    }
}
