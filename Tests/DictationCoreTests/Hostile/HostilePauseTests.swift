import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Pauses at any rate of the microphone.
@Suite struct HostilePauseTests {
    static let rates = [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000]
    static let periods: [Duration] = [.microseconds(1_337), .milliseconds(20), .microseconds(99_991)]

    #if SampleRate
    @Test(arguments: rates, periods)
    func nothingIsLostThroughPausesAtAnyRate(rate: Int, period: Duration) async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine()
            let microphone = ScriptedCapturer(
                [.tone(440, for: .seconds(500))], format: AudioFormat(sampleRate: rate), bufferDuration: period)
            let session = DictationSession(
                engine: engine, capturer: microphone, converters: SampleRateConverter.Provider(quality: .fast),
                configuration: shortLimits())
            let witness = Witness(session)
            try await session.start()
            for length in [0.001, 0.37, 1.1] {
                await clock.advance(by: .seconds(length))
                await session.pause()
                await clock.advance(by: .seconds(7_200))
                #expect(session.state == .paused)
                try await session.resume()
            }
            await clock.advance(by: .seconds(0.5))
            let text = await session.stop()
            await session.waitUntilSettled()
            let captured = AudioFormat(sampleRate: rate).duration(ofFrames: microphone.counts.captured)
            #expect(abs((text.duration - captured).inSeconds) < 0.0001)
            let left = unaccounted(text, fed: engine.sessions.flatMap(\.ranges))
            #expect(left.missing < .milliseconds(1), "\(text.gaps)")
            #expect(left.doubled < .milliseconds(1))
            #expect(text.isComplete && text.error == nil)
            #expect(engine.sessions.count == 1)
            await clock.advance(by: .seconds(10))
            #expect(witness.problems == [])
        }
    }
    #endif

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func aPauseDuringAnythingKeepsTheTake(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let engine = ScriptedEngine([.slowStart(.seconds(1)), .final("said", at: .seconds(0.2))])
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(500))]) {
                $0.startDelay = .milliseconds(400)
                $0.stopDelay = .milliseconds(400)
            }
            let session = DictationSession(engine: engine, capturer: microphone, configuration: shortLimits())
            let witness = Witness(session)
            var random = SplitMix64(seed: seed)
            let start = DictationRuntime.current.task { try? await session.start() }
            for _ in 0..<20 {
                await clock.advance(by: .milliseconds(Int.random(in: 0...900, using: &random)))
                await session.pause()
                await clock.advance(by: .milliseconds(Int.random(in: 0...900, using: &random)))
                try await session.resume()
            }
            _ = await start.value
            await clock.advance(by: .seconds(1))
            let text = await session.stop()
            await clock.advance(by: .seconds(30))
            #expect(text.error == nil)
            #expect(text.text == "said")
            #expect(engine.framesFed + text.gaps.reduce(0) { $0 + $1.frameCount } == microphone.counts.captured)
            #expect(witness.ended == [TakeID(number: 1): text])
            #expect(witness.problems == [])
        }
    }

    @Test(arguments: [true, false]) func aStopDuringAPauseOfADayGivesAllText(warm: Bool) async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine([
                .final("one", at: .seconds(1)), .volatile("two", at: .seconds(2)), .final("two", at: nil),
            ])
            let microphone = ScriptedCapturer([])
            let session = DictationSession(
                engine: engine, capturer: microphone, configuration: shortLimits { $0.stopMode = warm ? .warm : .full })
            try await session.start()
            await clock.advance(by: .seconds(3))
            await session.pause()
            await clock.advance(by: .seconds(86_400))
            let text = await session.stop()
            #expect(text.text == "one two")
            #expect(text.isComplete)
            #expect(text.duration < .seconds(4))
        }
    }

    @Test func aMicrophoneThatWillNotComeBackAfterAPauseSaysSo() async throws {
        try await VirtualTime.run { clock in
            let feed = Held<[CaptureFeed]>([])
            let microphone = HostileCapturer(stop: { _ in for feed in feed.value { feed.finish() } }) {
                number throws(DictationError) in
                guard number == 0 else { throw DictationError(.deviceNotFound, "It is gone.", recovery: "Plug it in.") }
                let new = CaptureFeed()
                new.write(humming)
                feed.change { $0.append(new) }
                return new.stream
            }
            let engine = ScriptedEngine([.final("said", at: .milliseconds(100))])
            let session = DictationSession(engine: engine, capturer: microphone, configuration: shortLimits())
            let witness = Witness(session)
            try await session.start()
            await clock.advance(by: .seconds(1))
            await session.pause()
            await clock.advance(by: .seconds(3_600))
            await #expect(throws: DictationError.self) { try await session.resume() }
            await clock.advance(by: .seconds(30))
            #expect(session.state.isFailed)
            #expect(session.transcript.text == "said")
            #expect(witness.problems == [])
            #expect(engine.openSessions == 0)
        }
    }

    @Test func theMaximumLengthCountsNoPause() async throws {
        try await VirtualTime.run { clock in
            let session = DictationSession(
                engine: ScriptedEngine(), capturer: ScriptedCapturer([]),
                configuration: shortLimits { $0.maximumLength = .seconds(10) })
            let witness = Witness(session)
            try await session.start()
            await clock.advance(by: .seconds(6))
            await session.pause()
            await clock.advance(by: .seconds(3_600))
            try await session.resume()
            await clock.advance(by: .seconds(3))
            #expect(session.state == .recording)
            await clock.advance(by: .seconds(3))
            #expect(session.state == .idle)
            let text = try #require(witness.ended[TakeID(number: 1)])
            #expect((10.0...10.5).contains(text.duration.inSeconds))
            #expect(witness.problems == [])
        }
    }
}
