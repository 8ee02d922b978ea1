import DictationCore
import FoundationEssentials

/// Runs of a random test, each with a seed of its own.
///
/// Set `DICTATION_SEED` to replay one run, and `DICTATION_SCHEDULES` to change the number of runs. `Scripts/test --all`
/// does 3,000 runs.
public enum RandomRuns {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["DICTATION_SCHEDULES"].flatMap { UInt64($0) } ?? 300
    private static let seed = environment["DICTATION_SEED"].flatMap { UInt64($0) }

    /// Returns the seeds of a parametrized test: less than a third of them in everyday runs.
    public static func seeds(_ most: UInt64) -> ClosedRange<UInt64> { 1...max(1, min(most, most * count / 1_000)) }

    /// Returns the first problem of each run that has one, with its seed. Stops early after many of them.
    public static func failures(
        of name: String, problems: @escaping @Sendable (_ seed: UInt64) async throws -> [String]
    ) async -> [String] {
        let seeds = seed.map { $0...$0 } ?? 1...count
        let failures = await withTaskGroup(of: [String].self) { group in
            for worker in 0..<2 {
                // A run may compute for long, and Swift's pool has a thread for each core.
                group.addTask(executorPreference: BlockingThread(name: "random runs")) {
                    var failures: [String] = []
                    for seed in seeds where seed % 2 == worker && failures.count < 10 {
                        do {
                            if let first = try await problems(seed).first {
                                failures.append("DICTATION_SEED=\(seed): \(first)")
                            }
                        } catch {
                            failures.append("DICTATION_SEED=\(seed): \(error)")
                        }
                    }
                    return failures
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        print("\(name): \(seeds.count) runs, \(failures.count) with a broken promise")
        return failures
    }
}
