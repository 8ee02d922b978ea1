import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

@Suite struct DictationSessionTests {
    private let microphone = [ScriptedCapturer.Step.tone(440, for: .seconds(3_600))]

    @Test func aTakeGivesItsText() async throws {
        try await VirtualTime.run { clock in
            let engine = WordEngine()
            let capturer = ScriptedCapturer(microphone)
            let session = DictationSession(engine: engine, capturer: capturer)
            try await session.start()
            #expect(session.state == .recording)
            await clock.advance(by: .milliseconds(2_600))
            let transcript = await session.stop()
            #expect(transcript.text == "word 1 word 2 part 3")
            #expect(transcript.isComplete)
            #expect(session.state == .idle)
            #expect(engine.fed.value == capturer.counts.captured)
        }
    }

    @Test func nothingSaidWhileTheEngineWarmsUpIsLost() async throws {
        try await VirtualTime.run { clock in
            var engine = WordEngine()
            engine.warmUp = .seconds(8)
            let capturer = ScriptedCapturer(microphone)
            let session = DictationSession(engine: engine, capturer: capturer)
            async let started = session.start()
            await clock.advance(by: .seconds(1))
            #expect(session.state == .recording)
            _ = try await started
            await clock.advance(by: .seconds(1))
            let transcript = await session.stop()
            #expect(transcript.text.hasPrefix("word 1 word 2 word 3"))
            #expect(transcript.gaps.isEmpty)
            #expect(engine.fed.value == capturer.counts.captured)
        }
    }

    @Test func anEngineThatIsBusyAtFirstIsAskedAgain() async throws {
        try await VirtualTime.run { clock in
            let busy: ScriptedEngine.Script = [.failingStart(DictationError(.deviceUnavailable, "Not yet."))]
            let session = DictationSession(
                engine: ScriptedEngine(sessions: [busy, busy, [.final("at last")]]),
                capturer: ScriptedCapturer(microphone))
            try await session.start()
            await clock.advance(by: .seconds(4))
            let transcript = await session.stop()
            #expect(transcript.text == "at last" && transcript.error == nil && transcript.gaps.isEmpty)
        }
    }

    @Test func anEngineThatIsNeverReadyIsNotWaitedForWithoutEnd() async throws {
        try await VirtualTime.run { clock in
            let session = DictationSession(
                engine: ScriptedEngine([.slowStart(.seconds(9_999))]), capturer: ScriptedCapturer(microphone))
            await #expect { try await session.prepare() } throws: {
                ($0 as? DictationError)?.code == .timedOut && ($0 as? DictationError)?.recovery != nil
            }
            #expect(clock.now.offset == session.configuration.warmUpTimeout)
        }
    }

    @Test func aStopRightAfterTheStartHasTheTailsWords() async throws {
        try await VirtualTime.run { clock in
            var engine = WordEngine()
            engine.warmUp = .seconds(2)
            var configuration = DictationSession.Configuration()
            configuration.tail = .milliseconds(600)
            let session = DictationSession(
                engine: engine, capturer: ScriptedCapturer(microphone), configuration: configuration)
            async let started = session.start()
            await clock.advance(by: .milliseconds(100))
            #expect(await session.stop().text == "part 1")
            _ = try await started
        }
    }

    @Test func aStopNeverHangsAndKeepsTheWords() async throws {
        try await VirtualTime.run { clock in
            var engine = WordEngine()
            engine.stallsAfter = .milliseconds(1_700)
            let capturer = ScriptedCapturer(microphone)
            let session = DictationSession(engine: engine, capturer: capturer)
            try await session.start()
            await clock.advance(by: .seconds(5))
            let before = clock.now.offset
            let transcript = await session.stop()
            #expect(clock.now.offset - before <= .seconds(10))
            #expect(transcript.text == "word 1 wor 2")
            #expect(!transcript.isComplete)
            let missing = transcript.gaps.reduce(0) { $0 + $1.frameCount }
            // The buffer that the decoder did not finish was delivered, so it is not missing.
            let delivered = capturer.counts.delivered - missing - engine.fed.value
            #expect((1_600...3_200).contains(delivered))
            #expect(session.state == .idle)
        }
    }

    @Test func anEngineThatFailsKeepsItsTextAndItsError() async throws {
        try await VirtualTime.run { clock in
            var engine = WordEngine()
            engine.failsAfter = .milliseconds(1_700)
            let session = DictationSession(engine: engine, capturer: ScriptedCapturer(microphone))
            try await session.start()
            await clock.advance(by: .seconds(3))
            let error = DictationError(.engineFailed, "It broke.")
            #expect(session.state == .failed(error))
            let transcript = await session.stop()
            #expect(transcript.text == "word 1 wor 2")
            #expect(transcript.error == error)
            #expect(session.state == .idle)
            await #expect(throws: Never.self) { try await session.start() }
            await session.cancel()
        }
    }

    @Test func anUnpluggedMicrophoneDoesNotEndTheTake() async throws {
        try await VirtualTime.run { clock in
            let capturer = ScriptedCapturer([
                .tone(440, for: .seconds(2)), .unplug(for: .seconds(1)), .tone(440, for: .seconds(10)),
            ])
            let session = DictationSession(engine: WordEngine(), capturer: capturer)
            try await session.start()
            await clock.advance(by: .seconds(5))
            #expect(session.state == .recording)
            let transcript = await session.stop()
            #expect(transcript.gaps.map(\.cause) == [.unplugged])
            #expect(transcript.gaps.first?.range == .seconds(2)..<(.seconds(3)))
            #expect(transcript.text.hasPrefix("word 1 word 2 word 3 word 4 word 5"))
        }
    }

    @Test func aPausedTakeGoesOnWhereItWas() async throws {
        try await VirtualTime.run { clock in
            let session = DictationSession(engine: WordEngine(), capturer: ScriptedCapturer(microphone))
            try await session.start()
            await clock.advance(by: .milliseconds(1_600))
            await session.pause()
            #expect(session.state == .paused)
            await clock.advance(by: .seconds(100))
            #expect(session.transcript.text == "word 1 part 2")
            try await session.resume()
            #expect(session.state == .recording)
            await clock.advance(by: .seconds(2))
            let transcript = await session.stop()
            #expect(transcript.duration < .seconds(5))
            #expect(transcript.gaps.isEmpty)
        }
    }

    @Test func aCancelledTakeLeavesNothing() async throws {
        try await VirtualTime.run { clock in
            let session = DictationSession(engine: WordEngine(), capturer: ScriptedCapturer(microphone))
            let events = session.events()
            try await session.start()
            await clock.advance(by: .seconds(2))
            await session.cancel()
            #expect(session.state == .idle)
            #expect(await session.stop().isEmpty)
            try await session.start()
            await clock.advance(by: .milliseconds(1_200))
            #expect(await session.stop().text == "word 1")
            var texts: [TakeID: [String]] = [:]
            var iterator = events.makeAsyncIterator()
            while let event = await iterator.next() {
                if case .text(let change) = event.kind {
                    texts[event.take, default: []] += change.finalResults.map(\.text)
                }
                if case .ended = event.kind { break }
            }
            #expect(texts.values.sorted { $0.count < $1.count } == [["word 1"], ["word 1", "word 2"]])
        }
    }

    @Test func aMicrophoneThatIsRefusedSaysSo() async throws {
        try await VirtualTime.run { _ in
            let capturer = ScriptedCapturer(microphone) { $0.authorization = .denied("Join the group 'audio'.") }
            let session = DictationSession(engine: WordEngine(), capturer: capturer)
            await #expect { try await session.start() } throws: {
                ($0 as? DictationError)?.code == .permissionDenied
            }
            guard case .failed = session.state else { return #expect(Bool(false), "\(session.state)") }
        }
    }

    @Test func aStartIsTriedAgainWithGrowingDelays() async throws {
        try await VirtualTime.run { clock in
            let capturer = ScriptedCapturer(microphone) { $0.openFailures = 3 }
            let session = DictationSession(engine: WordEngine(), capturer: capturer)
            try await session.start()
            #expect(capturer.counts.starts == 4)
            #expect(clock.now.offset >= .milliseconds(700))
            #expect(clock.now.offset < .milliseconds(800))
            await session.cancel()
        }
    }

    @Test func aNewTakeBeginsWhileTheOldOneIsFinalizing() async throws {
        try await VirtualTime.run { clock in
            var engine = WordEngine()
            engine.stallsAfter = .seconds(2)
            let session = DictationSession(engine: engine, capturer: ScriptedCapturer(microphone))
            try await session.start()
            await clock.advance(by: .seconds(3))
            async let old = session.stop()
            await clock.advance(by: .seconds(1))
            #expect(session.state == .finalizing)
            try await session.start()
            #expect(session.state == .recording)
            await clock.advance(by: .milliseconds(1_100))
            #expect(await session.stop().text == "word 1")
            #expect(await old.text == "word 1 word 2")
        }
    }

    @Test func aTakeStopsByItselfAfterSilence() async throws {
        try await VirtualTime.run { clock in
            var configuration = DictationSession.Configuration()
            configuration.endingSilence = .seconds(2)
            let capturer = ScriptedCapturer([.silence(for: .seconds(5)), .tone(440, for: .seconds(3))])
            let session = DictationSession(engine: WordEngine(), capturer: capturer, configuration: configuration)
            try await session.start()
            await clock.advance(by: .seconds(9))
            #expect(session.state == .recording)
            await clock.advance(by: .seconds(3))
            #expect(session.state == .idle)
            #expect(session.transcript.isComplete)
        }
    }

    @Test func threeKindsOfNothingAreToldApart() async throws {
        try await VirtualTime.run { clock in
            let capturer = ScriptedCapturer([
                .tone(440, for: .seconds(1)), .silence(for: .seconds(4)), .zeros(for: .seconds(4)),
                .nothing(for: .seconds(4)), .tone(440, for: .seconds(1)),
            ])
            let session = DictationSession(engine: WordEngine(), capturer: capturer)
            let events = session.events()
            try await session.start()
            await clock.advance(by: .seconds(14))
            await session.stop()
            var seen: [DictationSession.InputCondition] = []
            var iterator = events.makeAsyncIterator()
            while let event = await iterator.next() {
                if case .input(let condition) = event.kind { seen.append(condition) }
                if case .ended = event.kind { break }
            }
            #expect(seen.prefix(5) == [.speech, .noSpeech, .digitalSilence, .noAudio, .speech])
        }
    }

    @Test func aRecordingBecomesTextInOneCall() async throws {
        let recording = ScriptedCapturer([.tone(440, for: .milliseconds(2_600)), .end], pacing: .onDemand)
        #expect(try await WordEngine().transcribe(recording).text() == "word 1 word 2 part 3")
        var texts: [String] = []
        let again = ScriptedCapturer([.tone(440, for: .milliseconds(1_600)), .end], pacing: .onDemand)
        for try await result in WordEngine().transcribe(again) { texts.append(result.text) }
        #expect(texts.filter { !$0.isEmpty } == ["word 1", "part 2"])
    }

    @Test @MainActor func theModelShowsTheSession() async throws {
        try await VirtualTime.run { @MainActor clock in
            let model = DictationModel(
                DictationSession(engine: WordEngine(), capturer: ScriptedCapturer(microphone)))
            await model.start(from: "the note's title")
            await clock.advance(by: .milliseconds(2_700))
            #expect(model.state == .recording)
            #expect(model.finalText == "word 1 word 2")
            #expect(model.text == "word 1 word 2 wor 3")
            #expect(model.stableText == "wor")
            #expect(model.level.rms > Decibels(-20))
            #expect(model.elapsed >= .milliseconds(2_600))
            #expect(model.origin == "the note's title")
            await model.stop()
            await clock.settle()
            #expect(model.state == .idle)
            #expect(model.transcript?.text == model.finalText)
        }
    }
}
