import DictationTesting
import FoundationEssentials
import Testing

/// Set `DICTATION_SEED` to replay one run, and `DICTATION_SCHEDULES` to change the number of runs. `Scripts/test --all`
/// does 10,000 runs.
@Suite struct ServiceScheduleTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["DICTATION_SCHEDULES"].flatMap { UInt64($0) } ?? 300
    private static let seed = environment["DICTATION_SEED"].flatMap { UInt64($0) }

    @Test func eachTextGoesToOneCallerOrIsKept() async throws {
        let seeds = Self.seed.map { $0...$0 } ?? 1...Self.count
        let failures = try await withThrowingTaskGroup(of: [String].self) { group in
            for worker in 0..<2 {
                group.addTask {
                    var failures: [String] = []
                    for seed in seeds where seed % 2 == worker && failures.count < 10 {
                        do {
                            let problems = try await ServiceSchedule(seed: seed).problems()
                            if let first = problems.first { failures.append("DICTATION_SEED=\(seed): \(first)") }
                        } catch {
                            failures.append("DICTATION_SEED=\(seed): \(error)")
                        }
                    }
                    return failures
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        print("service schedules: \(seeds.count) runs, \(failures.count) with a broken promise")
        #expect(failures == [])
    }
}
