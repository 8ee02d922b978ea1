import TestSupport
import Testing

@Suite struct RandomScheduleTests {
    @Test func everyPromiseIsKeptInEveryOrderOfCalls() async {
        let failures = await RandomRuns.failures(of: "random schedules") {
            try await RandomSchedule(seed: $0).problems()
        }
        #expect(failures == [])
    }
}
