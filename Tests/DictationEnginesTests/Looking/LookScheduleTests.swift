import DictationCore
import Testing

@testable import DictationEngines

@Suite struct LookScheduleTests {
    /// The times at which a model looks at ten seconds of speech in buffers of a tenth of a second, one look at a time.
    private func looks(share: Double) -> [Double] {
        var schedule = LookSchedule()
        var busyUntil = 0.0
        var times: [Double] = []
        for count in 1...100 {
            let time = Double(count) / 10
            guard time >= busyUntil else { continue }
            let heard = PauseCutter.Heard(length: .seconds(time), speech: .zero..<(.seconds(time)))
            guard schedule.due(heard, now: .seconds(time)) != nil else { continue }
            schedule.begin(heard, isWhole: false, now: .seconds(time))
            busyUntil = time + share * time
            schedule.end(after: .seconds(share * time))
            times.append(time)
        }
        return times
    }

    @Test func aQuickModelLooksOften() {
        let times = looks(share: 0.03)
        #expect(times.count >= 12 && times.first == 0.3)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 0.39 })
    }

    @Test(arguments: [0.2, 0.4, 0.8]) func aSlowModelLooksAtMostHalfOfTheTime(share: Double) {
        let times = looks(share: share)
        // A look at `time` takes its share of the time; the last one may still run.
        #expect(times.dropLast().reduce(0) { $0 + share * $1 } <= 10 / 2, "\(times)")
        #expect(!times.isEmpty)
    }

    @Test func aPauseIsLookedAtOnceInPartAndOnceAsAWhole() {
        var schedule = LookSchedule()
        let speech = Duration.zero..<Duration.seconds(1)
        var found: [String] = []
        for tenth in 10...30 {
            let heard = PauseCutter.Heard(length: .milliseconds(100 * tenth), speech: speech)
            guard let extent = schedule.due(heard, now: heard.length) else { continue }
            found.append("\(extent) after \(heard.quiet)")
            schedule.begin(heard, isWhole: extent == .whole, now: heard.length)
        }
        #expect(found.map { $0.prefix(5) } == ["part ", "part ", "whole"], "\(found)")
    }

    @Test func silenceIsNotLookedAt() {
        let schedule = LookSchedule()
        #expect(schedule.due(PauseCutter.Heard(length: .seconds(5)), now: .seconds(5)) == nil)
    }
}
