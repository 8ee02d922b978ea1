import DictationCore
import Testing

@testable import DictationEngines

@Suite struct LookScheduleTests {
    /// The times at which a model looks at ten seconds of speech in buffers of a tenth of a second.
    private func looks(share: Double) -> [Double] {
        var schedule = LookSchedule()
        return stride(from: 1_600, through: 160_000, by: 1_600).compactMap { count in
            guard schedule.isDue(at: count) else { return nil }
            let time = Double(count) / 16_000
            schedule.note(.seconds(share * time))
            return time
        }
    }

    @Test func aQuickModelLooksOftenAndMoreRarelyAsTheStretchGrows() {
        let times = looks(share: 0.05)
        #expect(times.count >= 10 && times.first == 0.6)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 0.59 })
    }

    @Test(arguments: [0.2, 0.4, 0.8]) func aSlowModelLooksAtMostHalfOfTheTime(share: Double) {
        let times = looks(share: share)
        // A look at `time` takes its share of the time; the last one may still run.
        #expect(times.dropLast().reduce(0) { $0 + share * $1 } <= 10 / 2, "\(times)")
        #expect(!times.isEmpty)
    }
}
