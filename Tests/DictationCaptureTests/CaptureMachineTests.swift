import DictationCore
import DictationTesting
import TestSupport
import Testing

@testable import DictationCapture

@Suite struct CaptureMachineTests {
    @Test func aDeviceThatStaysAwayIsGivenUp() {
        var machine = CaptureMachine(CaptureLoop.Settings(), at: .zero)
        #expect(machine.lose(at: .seconds(1)) == .deviceLost)
        var now = Duration.seconds(1)
        var delays: [Duration] = []
        while let delay = machine.retry(at: now) {
            delays.append(delay)
            now += delay
        }
        #expect(
            delays.prefix(5) == [
                .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), .milliseconds(1_600),
            ])
        #expect(delays.allSatisfy { $0 <= .seconds(2) } && now >= .seconds(61) && now < .seconds(64))
        #expect(machine.hasGivenUp)
    }

    /// Whatever a device does: an outage is reported at most once, never as something less precise, and audio ends it.
    @Test func anyOrderKeepsThePromises() async {
        let failures = await RandomRuns.failures(of: "failures of devices") { seed in
            var random = SplitMix64(seed: seed)
            var problems: [String] = []
            for _ in 0..<40 {
                let settings = CaptureLoop.Settings()
                var now = Duration.zero
                var machine = CaptureMachine(settings, at: now)
                var told: [CaptureEvent.InterruptionCause] = []
                var (isOpen, lostAt, lastData) = (true, Duration?.none, now)
                func note(_ report: CaptureEvent.InterruptionCause?) {
                    guard let report else { return }
                    if told.contains(report) { problems.append("\(report) is told twice") }
                    if told.contains(.deviceLost) { problems.append("\(report) after the loss") }
                    told.append(report)
                }
                func lose() {
                    note(machine.lose(at: now))
                    isOpen = false
                    lostAt = lostAt ?? now
                }
                for _ in 0..<100 where !machine.hasGivenUp {
                    now += .milliseconds(Int.random(in: 1...3_000, using: &random))
                    guard isOpen else {
                        guard let delay = machine.retry(at: now) else {
                            if now - (lostAt ?? now) < settings.givesUpAfter { problems.append("given up too early") }
                            break
                        }
                        now += delay
                        if let lostAt, now - lostAt > settings.givesUpAfter + .seconds(5) {
                            problems.append("not given up")
                        }
                        isOpen = Bool.random(using: &random)
                        if isOpen { machine.open(at: now) }
                        continue
                    }
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0:
                        machine.receive(at: now)
                        let had = machine.outage
                        let ended = machine.endOutage()
                        if had != ended || machine.outage != nil { problems.append("an outage goes on with audio") }
                        if ended == nil, !told.isEmpty { problems.append("\(told) was no outage") }
                        if ended?.interruption != told.last { problems.append("\(told) ends as \(ended as Any)") }
                        (told, lostAt, lastData) = ([], nil, now)
                    case 1: note(machine.begin(.init(cause: .overrun)))
                    case 2: note(machine.begin(.init(cause: .suspended, interruption: .suspended)))
                    case 3:
                        let silence = machine.lookForData(at: now)
                        note(silence.report)
                        let isSilent = now - lastData >= settings.noDataLimit
                        if silence.report != nil, !isSilent { problems.append("silence after \(now - lastData)") }
                        if isSilent, told.isEmpty { problems.append("silence of \(now - lastData) is not told") }
                        if silence.isTooLong { lose() }
                    case 4: if !machine.mayRecover(at: now) { lose() }
                    default: lose()
                    }
                }
            }
            return problems
        }
        #expect(failures.isEmpty, "\(failures)")
    }
}
