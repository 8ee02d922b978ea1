import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Engines and sessions that break their promises.
@Suite struct HostileEngineTests {
    /// Runs a take with a session of a given behavior and checks the promises of every take.
    static func take(
        _ behavior: HandSession.Behavior, for length: Duration = .seconds(5), clock: ManualClock,
        configuration: DictationSession.Configuration = shortLimits()
    ) async -> (text: Transcript, witness: Witness, sessions: HandSessions, captured: Duration) {
        let sessions = HandSessions()
        let microphone = ScriptedCapturer([.tone(440, for: .seconds(4_000))])
        let session = DictationSession(
            engine: sessions.engine(behavior), capturer: microphone, configuration: configuration)
        let witness = Witness(session)
        _ = try? await session.start()
        await clock.advance(by: length)
        let stopped = clock.now.offset
        let text = await session.stop()
        #expect(clock.now.offset - stopped <= .seconds(2.5))
        await session.waitUntilSettled()
        #expect(clock.now.offset - stopped <= .seconds(20))
        await clock.advance(by: .seconds(100))
        #expect(witness.problems == [])
        #expect(witness.ended[TakeID(number: 1)] == text)
        #expect(sessions.areEnded)
        let captured = AudioFormat.speech.duration(ofFrames: microphone.counts.captured)
        return (text, witness, sessions, captured)
    }

    static func check(_ text: Transcript, _ sessions: HandSessions, _ captured: Duration) {
        #expect(text.duration == captured)
        let left = unaccounted(text, fed: sessions.made.value.flatMap(\.fed.value))
        #expect(left.missing == .zero && left.doubled == .zero, "\(text.gaps)")
        for (a, b) in zip(text.segments, text.segments.dropFirst()) {
            #expect(a.range.upperBound <= b.range.lowerBound)
        }
    }

    @Test func aGoodSessionByHandHasAllText() async throws {
        try await VirtualTime.run { clock in
            let (text, _, sessions, captured) = await Self.take(.init(), clock: clock)
            #expect(text.text == "w0 w1 w2 w3 w4")
            #expect(text.isComplete && text.error == nil)
            Self.check(text, sessions, captured)
        }
    }

    /// A session may end its results only in `finish()`. So the take must call `finish()` after the last audio;
    /// otherwise the stop would take all of `stopTimeout` and return an incomplete text.
    @Test func aSessionWhoseResultsEndWithItsFinishIsFinished() async throws {
        try await VirtualTime.run { clock in
            let (text, _, sessions, captured) = await Self.take(.init(endsWithInput: false), clock: clock)
            #expect(text.text == "w0 w1 w2 w3 w4")
            #expect(text.isComplete && text.error == nil)
            #expect(sessions.made.value.map(\.finishes.value) == [1])
            Self.check(text, sessions, captured)
        }
    }

    @Test func oneThatIsNeverReadyEndsTheStartAtItsLimit() async throws {
        try await VirtualTime.run { clock in
            let gate = Gate()
            let engine = HandEngine { _ in
                await gate.wait()
                return HandSession()
            }
            let microphone = ScriptedCapturer([])
            let session = DictationSession(engine: engine, capturer: microphone, configuration: shortLimits())
            let witness = Witness(session)
            await #expect(throws: DictationError.self) { try await session.start() }
            #expect(clock.now.offset <= .seconds(5.5))
            await session.waitUntilSettled()
            await clock.advance(by: .seconds(20))
            #expect(session.state.isFailed)
            let text = session.transcript
            #expect(unaccounted(text, fed: []) == (.zero, .zero))
            gate.open()
            await clock.advance(by: .seconds(20))
            #expect(witness.problems == [])
        }
    }

    @Test func aSessionThatComesTooLateIsEnded() async throws {
        try await VirtualTime.run { clock in
            let gate = Gate()
            let made = Held<HandSession?>(nil)
            let released = Count()
            let engine = HandEngine { _ in
                await gate.wait()
                let session = HandSession(.init(whenReleased: { released.next() }))
                made.value = session
                return session
            }
            let session = DictationSession(engine: engine, capturer: ScriptedCapturer([]), configuration: shortLimits())
            _ = try? await session.start()
            await session.waitUntilSettled()
            gate.open()
            await clock.advance(by: .seconds(20))
            let late = try #require(made.value)
            made.value = nil
            #expect(late.wasEnded || released.value == 1)
        }
    }

    @Test func resultsBeforeTheStartAreKeptInOrder() async throws {
        try await VirtualTime.run { clock in
            let (text, _, sessions, captured) = await Self.take(
                .init(start: { session, input in
                    session.say("early", .zero, for: .milliseconds(1))
                    session.read(input)
                }), clock: clock)
            #expect(text.text.hasPrefix("early"))
            Self.check(text, sessions, captured)
        }
    }

    static let ranges: [Range<Duration>] = [
        .seconds(-5)..<Duration.seconds(-3), .seconds(0)..<Duration.seconds(1e9),
        .seconds(Int64.min)..<Duration.seconds(Int64.max), .zero..<Duration.zero,
        .seconds(900)..<Duration.seconds(901), .seconds(Int64.max)..<Duration.seconds(Int64.max),
    ]

    static let updates = ranges.flatMap { range -> [SpeechUpdate] in
        let result = SpeechResult(range: range, text: "x")
        return [.volatile(result), .final(result), .revoked(range), .finalized(through: range.upperBound)]
    }

    @Test(arguments: updates) func resultsOutOfRangeDoNoHarm(update: SpeechUpdate) async throws {
        try await VirtualTime.run { clock in
            let (text, _, sessions, captured) = await Self.take(
                .init(take: { session, buffer in
                    session.out.yield(update)
                    session.out.yield(.final(SpeechResult(range: buffer.range, text: "y")))
                }), clock: clock)
            Self.check(text, sessions, captured)
            // Each "y" is in the text once, whatever its range became.
            #expect(text.segments.filter { $0.text == "y" }.count == sessions.made.value[0].fed.value.count)
            for segment in text.segments { #expect(segment.range.lowerBound >= .zero) }
        }
    }

    @Test func overlappingFinalsAreNeitherDoubledNorLost() async throws {
        try await VirtualTime.run { clock in
            let (text, _, sessions, captured) = await Self.take(
                .init(take: { session, buffer in
                    let start = buffer.start - .seconds(1)
                    session.out.yield(
                        .final(
                            SpeechResult(
                                range: start..<buffer.end + .seconds(1), text: "\(session.fed.value.count)")))
                }), clock: clock)
            Self.check(text, sessions, captured)
            #expect(text.segments.map(\.text) == (1...sessions.made.value[0].fed.value.count).map(String.init))
        }
    }

    @Test func resultsThatNeverEndEndWithTheLimit() async throws {
        try await VirtualTime.run { clock in
            let (text, _, sessions, captured) = await Self.take(
                .init(finish: { _ in .complete }, cancel: { _ in }, endsWithInput: false), clock: clock)
            #expect(text.text == "w0 w1 w2 w3 w4")
            Self.check(text, sessions, captured)
        }
    }

    @Test func resultsThatPourOutForeverEndWithTheLimit() async throws {
        try await VirtualTime.run { clock in
            let pours = Gate()
            let runtime = DictationRuntime.current
            let (text, _, _, _) = await Self.take(
                .init(
                    cancel: { _ in },
                    take: { session, buffer in
                        guard buffer.start == .zero else { return }
                        _ = runtime.task {
                            for number in 0..<2_000 {
                                session.out.yield(
                                    .volatile(SpeechResult(range: .zero..<Duration.seconds(5), text: "v\(number)")))
                                await runtime.rest(.milliseconds(10))
                            }
                            pours.open()
                        }
                    }, endsWithInput: false), clock: clock)
            #expect(text.text.hasPrefix("v"))
            #expect(text.segments.count == 1)
            #expect(!text.isComplete)
            await pours.wait()
        }
    }

    @Test func oneThatTakesNoInputLosesItAsAGap() async throws {
        try await VirtualTime.run { clock in
            let (text, _, sessions, captured) = await Self.take(.init(start: { _, _ in }), clock: clock)
            #expect(!text.isComplete)
            Self.check(text, sessions, captured)
        }
    }

    @Test func oneThatThrowsAtTheStartFailsTheTake() async throws {
        try await VirtualTime.run { clock in
            let broken = DictationError(.engineFailed, "It broke.")
            let (text, _, sessions, captured) = await Self.take(
                .init(start: { _, _ throws(DictationError) in throw broken }), clock: clock)
            #expect(text.error == broken)
            #expect(!text.isComplete)
            Self.check(text, sessions, captured)
        }
    }

    @Test func oneThatHoldsOnToItsInputKeepsNothingOpen() async throws {
        try await VirtualTime.run { clock in
            let inputs = Held<[AudioInput]>([])
            let (text, _, sessions, captured) = await Self.take(
                .init(start: { session, input in
                    inputs.change { $0.append(input) }
                    session.read(input)
                }), clock: clock)
            Self.check(text, sessions, captured)
            // After its end the input returns nothing and does not hang.
            var late = inputs.value[0].makeAsyncIterator()
            let after = [try await late.next()?.frameCount, try await late.next()?.frameCount]
            #expect(after == [nil, nil])
        }
    }

    @Test func twoReadersOfTheInputDoNotDoubleAudio() async throws {
        try await VirtualTime.run { clock in
            let second = Held<[Range<Duration>]>([])
            let (text, _, sessions, captured) = await Self.take(
                .init(start: { session, input in
                    session.read(input)
                    _ = DictationRuntime.current.task {
                        var iterator = input.makeAsyncIterator()
                        while let buffer = try? await iterator.next() { second.change { $0.append(buffer.range) } }
                    }
                }), clock: clock)
            #expect(text.duration == captured)
            let left = unaccounted(text, fed: sessions.made.value.flatMap(\.fed.value) + second.value)
            #expect(left.missing == .zero && left.doubled == .zero, "\(text.gaps)")
        }
    }

    @Test func resultsThatEndEarlyEndTheTakeWithWhatThereIs() async throws {
        try await VirtualTime.run { clock in
            let (text, _, sessions, captured) = await Self.take(
                .init(take: { session, buffer in
                    if buffer.start == .zero { session.say("only", .zero, for: .milliseconds(100)) }
                    if buffer.end >= .seconds(2) { session.out.finish() }
                }), clock: clock)
            #expect(text.text == "only")
            #expect(text.duration <= captured)
            #expect(!text.isComplete || text.duration <= .seconds(2.5))
            _ = sessions
        }
    }

    @Test func resultsThatFailKeepTheSeenWords() async throws {
        try await VirtualTime.run { clock in
            let broken = DictationError(.engineFailed, "It broke.")
            let (text, _, sessions, captured) = await Self.take(
                .init(take: { session, buffer in
                    if buffer.start == .zero {
                        session.say("said", .zero, for: .milliseconds(50))
                        session.out.yield(
                            .volatile(SpeechResult(range: .milliseconds(50)..<Duration.milliseconds(100), text: "seen"))
                        )
                    }
                    if buffer.end >= .seconds(2) { session.out.finish(throwing: broken) }
                }), clock: clock)
            #expect(text.text == "said seen")
            #expect(text.error == broken)
            #expect(!text.isComplete)
            _ = (sessions, captured)
        }
    }

    @Test func anEngineWithAnotherFormatThanItSaidIsFed() async throws {
        #if SampleRate
        try await VirtualTime.run { clock in
            let made = Held<HandSession?>(nil)
            let engine = HandEngine { _ in
                let session = HandSession(audioFormat: AudioFormat(sampleRate: 8_000, sampleType: .float32))
                made.value = session
                return session
            }
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer([]), converters: SampleRateConverter.Provider(),
                configuration: shortLimits())
            try await session.start()
            await clock.advance(by: .seconds(3))
            let text = await session.stop()
            let left = unaccounted(text, fed: made.value?.fed.value ?? [])
            #expect(left.missing < .milliseconds(1) && left.doubled < .milliseconds(1))
            #expect(text.text == "w0 w1 w2")
        }
        #endif
    }
}
