import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Spools that are slow, hang or fail at any call, and the audio that a new process finds.
@Suite struct HostileSpoolTests {
    @Test(arguments: HostileSpool.Call.allCases, HostileSpool.Fault.allCases)
    func noFaultOfTheDiskCostsATakeAnything(call: HostileSpool.Call, fault: HostileSpool.Fault) async throws {
        try await VirtualTime.run { clock in
            let spool = HostileSpool([call: fault])
            let engine = ScriptedEngine()
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(400))])
            let session = DictationSession(
                engine: engine, capturer: microphone, spool: spool, configuration: shortLimits())
            let witness = Witness(session)
            for _ in 0..<3 {
                try await session.start()
                await clock.advance(by: .seconds(4))
                let stopped = clock.now.offset
                let text = await session.stop()
                #expect(clock.now.offset - stopped <= .seconds(1))
                #expect(text.isComplete && text.error == nil)
            }
            let settling = clock.now.offset
            await session.waitUntilSettled()
            #expect(clock.now.offset - settling <= .seconds(15))
            #expect(engine.framesFed == microphone.counts.captured)
            if fault == .failing || fault == .slow { #expect(spool.openWriters.value == 0) }
            spool.faults.value = [:]
            spool.gate.open()
            await clock.advance(by: .seconds(200_000))
            // Writers that came late are closed too, and the audio of a complete text is deleted.
            #expect(spool.openWriters.value == 0)
            if fault == .slow || fault == .deaf { #expect(spool.disk.value.events.isEmpty) }
            #expect(engine.openSessions == 0)
            #expect(witness.problems == [])
            let failures = witness.events.filter { if case .spoolFailed = $0.kind { true } else { false } }
            if fault == .failing, call == .begin || call == .append { #expect(failures.count == 3) }
        }
    }

    /// A call that hangs is cancelled after its time limit, so that its writer can be released.
    @Test(arguments: [HostileSpool.Call.append, .close])
    func aCallOfTheSpoolThatIsLeftBehindIsCancelled(call: HostileSpool.Call) async throws {
        try await VirtualTime.run { clock in
            let spool = HostileSpool([call: .hanging])
            let session = DictationSession(
                engine: ScriptedEngine(), capturer: ScriptedCapturer([]), spool: spool, configuration: shortLimits())
            try await session.start()
            await clock.advance(by: .seconds(3))
            _ = await session.stop()
            await session.waitUntilSettled()
            await clock.advance(by: .seconds(1_000))
            #expect(spool.openWriters.value == 0)
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func aRestartFindsWhatWasNotSafe(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let spool = HostileSpool()
            let hung = ScriptedEngine([.stall(at: .seconds(1))])
            var session: DictationSession? = DictationSession(
                engine: hung, capturer: ScriptedCapturer([.tone(440, for: .seconds(100))]), spool: spool,
                configuration: shortLimits())
            try await session?.start()
            await clock.advance(by: .seconds(6))
            // The process ends in the middle of a take.
            session = nil
            hung.releaseStalls()
            await clock.advance(by: .seconds(30))
            let next = DictationSession(
                engine: ScriptedEngine([.final("one", at: .seconds(1)), .final("five", at: .seconds(5))]),
                capturer: ScriptedCapturer([]), spool: spool, configuration: shortLimits())
            let witness = Witness(next)
            let left = try await spool.takes()
            #expect(left.count == 1)
            for take in left {
                let text = try await next.retry(take.id)
                #expect(text.text == "one five")
                #expect(text.duration == take.duration)
            }
            await next.waitUntilSettled()
            #expect(try await spool.takes().isEmpty)
            await clock.advance(by: .seconds(10))
            #expect(witness.problems == [])
        }
    }

    @Test(arguments: [0, 1, 2, 3]) func aDamagedSpoolGivesTextOrAnError(damage: Int) async throws {
        try await VirtualTime.run { clock in
            let spool = HostileSpool()
            let events: [CaptureEvent] = (0..<30).map { .buffer(humming.moved(to: .milliseconds($0 * 100))) }
            spool.change { disk in
                disk.order = ["left"]
                disk.events["left"] =
                    switch damage {
                    case 0: []
                    case 1: Array(events.reversed())
                    case 2: events + events
                    default:
                        [.gap(AudioGap(range: .zero..<Duration.seconds(2), frameCount: 32_000, cause: .damaged))]
                            + events.dropFirst(20)
                    }
            }
            let engine = ScriptedEngine([.final("said", at: .seconds(2.5))])
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([]), spool: spool, configuration: shortLimits())
            let witness = Witness(session)
            let text = try? await session.retry("left")
            await session.waitUntilSettled()
            await clock.advance(by: .seconds(10))
            if let text, damage > 0 {
                let left = unaccounted(text, fed: engine.sessions.flatMap(\.ranges))
                #expect(left.missing == .zero && left.doubled == .zero, "\(text)")
            }
            if damage == 3 { #expect(text?.text == "said") }
            #expect(witness.problems == [])
            #expect(engine.openSessions == 0)
        }
    }

    @Test func aSlowDiskThatFallsBehindSaysWhatItDidNotKeep() async throws {
        try await VirtualTime.run { clock in
            let spool = HostileSpool([.append: .slow])
            let broken = DictationError(.engineFailed, "It broke.")
            let engine = ScriptedEngine(sessions: [[.error(broken, at: .seconds(290))], []])
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(4_000))])
            let session = DictationSession(
                engine: engine, capturer: microphone, spool: spool, configuration: shortLimits())
            let witness = Witness(session)
            try await session.start()
            await clock.advance(by: .seconds(300))
            let first = await session.stop()
            await session.waitUntilSettled()
            await clock.advance(by: .seconds(600))
            #expect(witness.events.contains { if case .spoolFailed = $0.kind { true } else { false } })
            spool.faults.value = [:]
            let again = try await session.retry()
            #expect(again.duration == first.duration)
            #expect(again.gaps.contains { $0.cause == .notKept })
            #expect(!again.isComplete)
            let left = unaccounted(again, fed: engine.sessions[1].ranges)
            #expect(left.missing == .zero && left.doubled == .zero)
            await clock.advance(by: .seconds(10))
            #expect(witness.problems == [])
        }
    }
}
