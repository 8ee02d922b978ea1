import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Takes that end by themselves, calls that are cancelled, and parts that sessions share.
@Suite struct HostileEndTests {
    /// The capturer throws on a second start before a stop, even after its stream has ended.
    @Test(arguments: [true, false]) func aMicrophoneWhoseStreamEndedCanBeStartedAgain(fails: Bool) async throws {
        try await VirtualTime.run { clock in
            let isOpen = Held(false)
            let microphone = HostileCapturer(stop: { _ in isOpen.value = false }) { _ throws(DictationError) in
                if isOpen.change({ was in
                    defer { was = true }; return was
                }) {
                    throw DictationError(.alreadyRunning, "It runs.", recovery: "Stop it.")
                }
                return stream { number throws(DictationError) in
                    if number == 5, fails { throw DictationError(.deviceLost, "Gone.") }
                    return number < 5 ? .buffer(humming) : nil
                }
            }
            let session = DictationSession(engine: ScriptedEngine(), capturer: microphone, configuration: shortLimits())
            let witness = Witness(session)
            for _ in 0..<3 {
                _ = try? await session.start()
                await clock.advance(by: .seconds(3))
                #expect(!isOpen.value)
            }
            #expect(witness.ended.count == 3)
            #expect(witness.ended.values.allSatisfy { $0.duration == .milliseconds(500) })
            #expect(witness.problems == [])
        }
    }

    @Test(arguments: [0.0, 0.1, 0.2, 0.5, 1.0, 1.5]) func aCancelledStopStillEndsTheTake(after delay: Double)
        async throws
    {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine([
                .volatile("seen", at: .seconds(1)), .slowFinish(.milliseconds(800)), .final("seen", at: nil),
            ])
            let session = DictationSession(engine: engine, capturer: ScriptedCapturer([]), configuration: shortLimits())
            let witness = Witness(session)
            try await session.start()
            await clock.advance(by: .seconds(2))
            let stop = DictationRuntime.current.task { await session.stop() }
            await clock.advance(by: .seconds(delay))
            stop.cancel()
            #expect(await stop.value.text == "seen")
            await clock.advance(by: .seconds(10))
            #expect(session.transcript.text == "seen")
            #expect(witness.problems == [])
            #expect(engine.openSessions == 0)
        }
    }

    @Test func aChangedConfigurationCountsFromTheNextTake() async throws {
        try await VirtualTime.run { clock in
            let session = DictationSession(
                engine: ScriptedEngine(), capturer: ScriptedCapturer([]), configuration: shortLimits())
            try await session.start()
            session.configuration.maximumLength = .seconds(2)
            session.configuration.recognition.locale = "xx-YY"
            await clock.advance(by: .seconds(5))
            #expect(session.state == .recording)
            await session.pause()
            try await session.resume()
            await clock.advance(by: .seconds(1))
            #expect(await session.stop().locale == "en-US")
            await #expect(throws: DictationError.self) { try await session.start() }
        }
    }

    @Test func everythingThatHangsAtOnceIsLeft() async throws {
        try await VirtualTime.run { clock in
            let gate = Gate()
            let sessions = HandSessions()
            let engine = sessions.engine(
                .init(
                    finish: { _ in
                        await gate.wait(); return .complete
                    }, cancel: { _ in await gate.wait() },
                    take: { _, _ in await gate.wait() }))
            let spool = HostileSpool([.append: .deaf, .close: .deaf, .discard: .deaf])
            let microphone = FedCapturer(beforeStop: { await gate.wait() })
            let session = DictationSession(
                engine: engine, capturer: microphone, spool: spool, configuration: shortLimits())
            let witness = Witness(session)
            try await session.start()
            await clock.advance(by: .seconds(5))
            let began = clock.now.offset
            let text = await session.stop()
            #expect(clock.now.offset - began <= .seconds(2.5))
            let settling = clock.now.offset
            await session.waitUntilSettled()
            #expect(clock.now.offset - settling <= .seconds(10))
            #expect(!text.isComplete)
            let left = unaccounted(text, fed: sessions.made.value.flatMap(\.fed.value))
            #expect(left.missing == .zero && left.doubled == .zero)
            gate.open()
            spool.gate.open()
            await clock.advance(by: .seconds(60))
            #expect(session.transcript == text)
            #expect(microphone.open.value == 0)
            #expect(spool.openWriters.value == 0)
            #expect(witness.problems == [])
        }
    }

    @Test func twoSessionsOnOneMicrophoneDoNotDisturbEachOther() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(100))])
            let first = DictationSession(engine: ScriptedEngine(), capturer: microphone, configuration: shortLimits())
            let second = DictationSession(engine: ScriptedEngine(), capturer: microphone, configuration: shortLimits())
            try await first.start()
            await clock.advance(by: .seconds(2.5))
            await #expect(throws: DictationError.self) { try await second.start() }
            _ = await second.stop()
            await second.cancel()
            await second.waitUntilSettled()
            await clock.advance(by: .seconds(2))
            #expect(first.state == .recording)
            let text = await first.stop()
            #expect(text.text.hasPrefix("one two three four one two three four"))
            #expect(text.error == nil && text.isComplete)
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func anEngineOfOneSessionServesOverlappingTakes(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let engine = ScriptedEngine(
                [.slowFinish(.milliseconds(900)), .final("x", at: .milliseconds(300))],
                capabilities: EngineCapabilities(ScriptedEngine.scriptedFeatures, maximumSessions: 1))
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(100))])
            let session = DictationSession(engine: engine, capturer: microphone, configuration: shortLimits())
            let witness = Witness(session)
            for _ in 0..<6 {
                let start = DictationRuntime.current.task { try? await session.start() }
                await clock.advance(by: .seconds(0.6))
                let stop = DictationRuntime.current.task { await session.stop() }
                await clock.advance(by: .seconds(0.3))
                _ = (start, stop)
            }
            await clock.advance(by: .seconds(30))
            #expect(witness.problems == [])
            let lost = witness.ended.values.flatMap(\.gaps).reduce(0) { $0 + $1.frameCount }
            #expect(engine.framesFed + lost == microphone.counts.captured)
            #expect(engine.openSessions == 0)
        }
    }

    @Test func aPrepareThatHangsEndsAtItsLimitOrWithItsTask() async throws {
        try await VirtualTime.run { clock in
            let gate = Gate()
            let engine = HandEngine(preparing: { await gate.wait() }) { _ in HandSession() }
            let session = DictationSession(engine: engine, capturer: ScriptedCapturer([]), configuration: shortLimits())
            await #expect(throws: DictationError.self) { try await session.prepare() }
            #expect(clock.now.offset <= .seconds(3.5))
            let again = DictationRuntime.current.task { try? await session.prepare() }
            await clock.advance(by: .seconds(1))
            again.cancel()
            await again.value
            #expect(clock.now.offset <= .seconds(4.6))
            #expect(session.state == .idle)
            gate.open()
        }
    }

    @Test(arguments: [AudioGap.Cause.overrun, .unplugged]) func aDevicesGapIsInTheTranscript(cause: AudioGap.Cause)
        async throws
    {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer([
                .tone(440, for: .seconds(1)), .gap(for: .seconds(1), cause: cause), .tone(440, for: .seconds(1)), .end,
            ])
            let session = DictationSession(
                engine: ScriptedEngine([]), capturer: microphone, configuration: shortLimits())
            try await session.start()
            await clock.advance(by: .seconds(9))
            let text = session.transcript
            #expect(text.gaps.map(\.cause) == [cause])
            // Audio that the device did not deliver leaves the text complete.
            #expect(text.isComplete == (cause == .unplugged))
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func aMicrophoneThatFailsToOpenAFewTimesIsTriedAgain(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(50))]) { $0.openFailures = 3 }
            let session = DictationSession(
                engine: ScriptedEngine(), capturer: microphone, configuration: shortLimits())
            try await session.start()
            #expect(microphone.counts.starts == 4)
            #expect(clock.now.offset >= .milliseconds(700))
            await session.cancel()
        }
    }
}
