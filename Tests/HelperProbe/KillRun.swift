import DictationCore
import DictationEngines
import DictationTesting
import Foundation
import Glibc

/// Sessions on several tasks at once, whose helpers are killed at random moments. Nothing may be left of any helper.
struct KillRun: Sendable {
    /// The number of kills in all.
    let count: Int
    let seed: UInt64
    let engine: EngineDescription
    var workers = 8

    /// The numbers of a run so far.
    struct Tally: Sendable {
        var kills = 0
        var sessions = 0
    }

    /// Opens sessions until there were enough kills. Returns a line about each problem, then a line with the numbers.
    ///
    /// - Parameters:
    ///   - undisturbed: Returns what comes of an engine whose helper nobody kills.
    ///   - session: Opens a session with an engine, kills its helper now and then, and returns the number of kills and
    ///     the differences from the undisturbed engine.
    func run<Expected: Sendable>(
        undisturbed: (HelperEngine) async throws -> Expected,
        session:
            @escaping @Sendable (HelperEngine, Expected, inout SplitMix64) async throws -> (
                kills: Int, problems: [String]
            )
    ) async throws -> [String] {
        // libdispatch opens descriptors of its own with the first timer.
        try await Task.sleep(for: .milliseconds(1))
        let before = try Leftovers()
        let expected = try await undisturbed(makeEngine(workers))
        let tally = Watched(Tally())
        var problems = try await withThrowingTaskGroup(of: [String].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    var random = SplitMix64(seed: seed &+ UInt64(worker) &* 1_000_003)
                    let engine = makeEngine(worker)
                    var problems: [String] = []
                    while tally.value.kills < count {
                        let (kills, found) = try await session(engine, expected, &random)
                        tally.change { ($0.kills, $0.sessions) = ($0.kills + kills, $0.sessions + 1) }
                        problems += found.map { "worker \(worker): \($0)" }
                    }
                    return problems
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        // The last helpers end on threads of their own.
        var after = try Leftovers()
        for _ in 0..<1_000 where after != before {
            try await Task.sleep(for: .milliseconds(10))
            after = try Leftovers()
        }
        if after != before { problems.append("left: \(after), before: \(before)") }
        return problems + ["\(tally.value.kills >= count ? "all" : "too few") kills, \(tally.value)"]
    }

    /// Returns an engine with a helper that no other worker shares.
    func makeEngine(_ worker: Int) -> HelperEngine {
        var configuration = HelperEngine.Configuration()
        configuration.retention = worker % 2 == 0 ? .whileInUse : .lingering(.milliseconds(50))
        configuration.responseTimeout = .seconds(5)
        configuration.progressTimeout = .seconds(300 + worker)
        return HelperEngine(engine, configuration: configuration)
    }
}

/// Kills the helper of an engine with random signals.
final class HelperKiller: Sendable {
    private let engine: HelperEngine
    private let kills = Watched((all: 0, sinceFinal: 0))
    private static let signals = [SIGKILL, SIGSTOP, SIGSEGV, SIGABRT]

    init(of engine: HelperEngine) { self.engine = engine }

    /// The number of kills.
    var count: Int { kills.value.all }

    static func signal(using random: inout SplitMix64) -> Int32 { signals.randomElement(using: &random) ?? SIGKILL }

    /// Kills the helper, unless it was killed twice since the last final text. Three deaths on the same audio would give
    /// that audio up, and one may come by itself on a busy machine.
    func strike(with signal: Int32) {
        guard let helper = engine.helper else { return }
        let mayKill = kills.change { kills in
            guard kills.sinceFinal < 2 else { return false }
            kills = (kills.all + 1, kills.sinceFinal + 1)
            return true
        }
        if mayKill { kill(helper, signal) }
    }

    /// Notes that there was a final text.
    func noteFinal() { kills.change { $0.sinceFinal = 0 } }
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
