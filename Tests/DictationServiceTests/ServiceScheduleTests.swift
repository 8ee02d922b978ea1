import TestSupport
import Testing

@Suite struct ServiceScheduleTests {
    @Test func eachTextGoesToOneCallerOrIsKept() async {
        #expect(
            await RandomRuns.failures(of: "service schedules") { try await ServiceSchedule(seed: $0).problems() } == [])
    }
}
