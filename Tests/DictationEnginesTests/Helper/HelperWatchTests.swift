import DictationCore
import DictationTesting
import TestSupport
import Testing

@testable import DictationEngines

@Suite struct HelperWatchTests {
    private static let limits = HelperProcess.Limits(response: .seconds(10), progress: .seconds(120))

    @Test func aHelperThatAnswersMayWorkForAWhile() {
        var watch = HelperWatch(Self.limits)
        #expect(watch.beginWork(at: .zero) == true)
        for second in 1...60 {
            let now = Duration.seconds(second * 2)
            #expect(watch.look(at: now) == .ping)
            watch.hear(isProgress: false, at: now)
        }
        #expect(watch.look(at: .milliseconds(120_001)) == .kill, "It does not get on.")
    }

    @Test func aHelperWithoutWorkIsLeftAlone() {
        var watch = HelperWatch(Self.limits)
        #expect(watch.look(at: .seconds(1_000)) == .nothing && !watch.isNeeded)
        #expect(watch.beginWork(at: .seconds(1_000)) == true)
        watch.endWork()
        #expect(watch.beginWork(at: .seconds(1_001)) == false, "Somebody looks until the next look.")
        watch.endWork()
        #expect(watch.isNeeded && watch.look(at: .seconds(2_000)) == .nothing && !watch.isNeeded)
    }

    /// Whatever a helper and its users do: one that stays silent with work is killed in time, and no other one is.
    @Test func anyOrderKeepsThePromises() async {
        let failures = await RandomRuns.failures(of: "watches of helpers") { seed in
            var random = SplitMix64(seed: seed)
            var problems: [String] = []
            for _ in 0..<40 {
                var watch = HelperWatch(Self.limits)
                var (now, pieces) = (Duration.zero, 0)
                var (heard, progress, ping) = (Duration.zero, Duration.zero, Duration?.none)
                for _ in 0..<100 {
                    now += .milliseconds(Int.random(in: 0...4_000, using: &random))
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0:
                        let wakes = watch.beginWork(at: now)
                        if pieces == 0 { (progress, ping) = (now, nil) }
                        if wakes, pieces > 0 { problems.append("nobody looked at a helper with work") }
                        pieces += 1
                    case 1 where pieces > 0:
                        watch.endWork()
                        pieces -= 1
                    case 2:
                        let isProgress = Bool.random(using: &random)
                        watch.hear(isProgress: isProgress, at: now)
                        (heard, ping) = (now, nil)
                        if isProgress { progress = now }
                    default:
                        let step = watch.look(at: now)
                        let isSilent = ping.map { now - $0 > Self.limits.response } ?? false
                        let isStuck = now - progress > Self.limits.progress
                        let wanted: HelperWatch.Step =
                            pieces == 0 ? .nothing : isStuck || isSilent ? .kill : ping == nil ? .ping : .nothing
                        if step != wanted { problems.append("\(step) at \(now), not \(wanted); heard at \(heard)") }
                        if step == .ping { ping = now }
                    }
                    if pieces > 0, !watch.isNeeded { problems.append("nobody looks") }
                }
            }
            return problems
        }
        #expect(failures.isEmpty, "\(failures)")
    }
}
