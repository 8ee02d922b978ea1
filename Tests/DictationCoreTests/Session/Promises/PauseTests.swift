import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// A take survives any pause, at any rate of the microphone, any speed of the engine and with any limits.
@Suite struct PauseTests {
    static let rates = [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000]

    /// Returns a microphone with buffers of 1,024 frames, as sound servers deliver them. They don't fit any round time.
    private func microphone(_ rate: Int) -> ScriptedCapturer {
        let format = AudioFormat(sampleRate: rate)
        return ScriptedCapturer(
            [.tone(440, for: .seconds(3_600))], format: format, bufferDuration: format.duration(ofFrames: 1_024))
    }

    private func pauseAndResume(
        _ session: DictationSession, _ clock: ManualClock, for pause: Duration, _ comment: Comment
    ) async throws {
        try await session.start()
        await clock.advance(by: .seconds(3))
        await session.pause()
        await clock.advance(by: pause)
        #expect(session.state == .paused, comment)
        try await session.resume()
        #expect(session.state == .recording, comment)
        await clock.advance(by: .seconds(3))
        let transcript = await session.stop()
        #expect(transcript.isComplete && transcript.error == nil && transcript.gaps.isEmpty, comment)
        #expect(transcript.duration > .seconds(6) && transcript.duration < .seconds(7), comment)
        let last = transcript.segments.last?.range.upperBound ?? .zero
        #expect(last > .seconds(5), comment)
    }

    @Test(arguments: rates) func aPauseOfAnyLengthKeepsATakeWithoutAConverter(rate: Int) async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine(.counting, audioFormat: AudioFormat(sampleRate: rate))
            let session = DictationSession(engine: engine, capturer: microphone(rate))
            try await pauseAndResume(session, clock, for: .seconds(60), "\(rate) Hz")
        }
    }

    @Test func aShortStopLimitDoesNotShortenAPause() async throws {
        try await VirtualTime.run { clock in
            let session = DictationSession(
                engine: ScriptedEngine(), capturer: microphone(44_100), converters: SampleRateConverter.Provider())
            session.configuration.stopTimeout = .seconds(2)
            try await pauseAndResume(session, clock, for: .seconds(30), "a stop limit of 2 s")
        }
    }

    @Test func anEngineThatIsFarBehindAtThePauseKeepsTheTake() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine([
                .stall(at: .seconds(1), for: .seconds(40)), .final("one", at: .milliseconds(2_500)),
                .final("two", at: .seconds(5)),
            ])
            let session = DictationSession(engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(60))]))
            try await session.start()
            await clock.advance(by: .seconds(3))
            await session.pause()
            await clock.advance(by: .seconds(30))
            #expect(session.state == .paused && session.transcript.isEmpty)
            await clock.advance(by: .seconds(30))
            #expect(session.state == .paused && session.transcript.text == "one")
            try await session.resume()
            await clock.advance(by: .seconds(3))
            let transcript = await session.stop()
            #expect(transcript.text == "one two" && transcript.isComplete)
        }
    }

    @Test func whatWasSaidBeforeAPauseIsFinalInIt() async throws {
        try await VirtualTime.run { clock in
            let session = DictationSession(
                engine: WordEngine(), capturer: microphone(44_100), converters: SampleRateConverter.Provider())
            try await session.start()
            await clock.advance(by: .milliseconds(1_700))
            await session.pause()
            await clock.advance(by: .seconds(1))
            #expect(session.transcript.text == "word 1 part 2")
            #expect(session.state == .paused)
        }
    }

    /// A resampler holds some audio back until more comes, but none comes in a pause.
    @Test(arguments: [11_025, 44_100, 48_000]) func theEngineGetsAllAudioBeforeAPauseInIt(rate: Int) async throws {
        try await VirtualTime.run { clock in
            let engine = WordEngine()
            let session = DictationSession(
                engine: engine, capturer: microphone(rate), converters: SampleRateConverter.Provider())
            try await session.start()
            await clock.advance(by: .milliseconds(1_700))
            await session.pause()
            await clock.advance(by: .seconds(1))
            let given = AudioFormat.speech.duration(ofFrames: engine.fed.value)
            #expect(AudioFormat.speech.isSame(given, session.elapsed), "\(given) of \(session.elapsed)")
        }
    }

    @Test func aGapAtThePauseDoesNotKeepTextFromBecomingFinal() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer([
                .tone(440, for: .milliseconds(1_700)), .gap(for: .seconds(1)), .nothing(for: .seconds(60)),
            ])
            let session = DictationSession(engine: WordEngine(), capturer: microphone)
            try await session.start()
            await clock.advance(by: .seconds(3))
            await session.pause()
            await clock.advance(by: .seconds(20))
            #expect(session.state == .paused && session.transcript.text == "word 1 part 2")
        }
    }

    @Test func resumingATakeThatEndedThrows() async throws {
        try await VirtualTime.run { clock in
            let session = DictationSession(
                engine: WordEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(60))]))
            func expectRefusal() async {
                await #expect { try await session.resume() } throws: { ($0 as? DictationError)?.code == .notRunning }
            }
            await expectRefusal()
            try await session.start()
            await session.pause()
            await session.stop()
            await expectRefusal()
            try await session.start()
            try await session.resume()
            await session.cancel()
            await expectRefusal()
        }
    }
}

extension PauseTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        private let tests = PauseTests()

        @Test(arguments: rates) func aPauseOfAnyLengthKeepsATakeThatIsResampled(rate: Int) async throws {
            for pause in [Duration.seconds(9), .seconds(11), .seconds(3_600)] {
                try await VirtualTime.run { clock in
                    let session = DictationSession(
                        engine: ScriptedEngine(), capturer: tests.microphone(rate),
                        converters: SampleRateConverter.Provider())
                    try await tests.pauseAndResume(session, clock, for: pause, "\(rate) Hz, \(pause)")
                }
            }
        }
    }
}
