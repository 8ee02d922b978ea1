import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// A model never mixes takes: each ends with its own text, origin and error.
@Suite @MainActor struct ModelTakesTests {
    private nonisolated func model(_ engine: any SpeechEngine) async -> DictationModel {
        await DictationModel(
            DictationSession(engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(600))])))
    }

    @Test func eachTakesTextGoesWhereItWasStarted() async throws {
        try await VirtualTime.run { @MainActor clock in
            var engine = WordEngine()
            engine.stallsAfter = .milliseconds(1_300)
            let model = await self.model(engine)
            var ended: [DictationModel.EndedTake] = []
            model.onTranscript = { ended.append($0) }
            await model.start(from: "the first field")
            await clock.advance(by: .seconds(2))
            let stopping = Task { @MainActor in await model.stop() }
            await clock.advance(by: .seconds(1))
            // The first take's engine is slow, so its text comes while the second take records.
            await model.start(from: "the second field")
            #expect(model.origin == "the second field")
            await clock.advance(by: .seconds(30))
            #expect(ended.map(\.origin) == ["the first field"])
            #expect(ended.map(\.transcript.text) == ["word 1"])
            await model.stop()
            _ = await stopping.value
            #expect(ended.map(\.origin) == ["the first field", "the second field"])
            #expect(ended.map(\.id) == [TakeID(number: 1), TakeID(number: 2)])
        }
    }

    @Test func aPauseKeepsTheOrigin() async throws {
        try await VirtualTime.run { @MainActor clock in
            let model = await self.model(WordEngine())
            var origins: [String?] = []
            model.onTranscript = { origins.append($0.origin) }
            await model.start(from: "the note")
            await model.pause()
            await model.resume()
            await model.pause()
            await model.start(from: "elsewhere")
            #expect(model.origin == "the note")
            await clock.advance(by: .seconds(2))
            await model.stop()
            #expect(origins == ["the note"])
        }
    }

    @Test func anOldTakesErrorIsNotShownInTheNewOne() async throws {
        try await VirtualTime.run { @MainActor clock in
            let broken = DictationError(.engineFailed, "It broke.")
            let engine = ScriptedEngine(sessions: [
                [.stall(at: .milliseconds(2_100), for: .seconds(8)), .error(broken, at: .milliseconds(2_100))],
                [.final("all is well", at: .seconds(1))],
            ])
            let capturer = ScriptedCapturer([.tone(440, for: .seconds(600))]) { $0.stopDelay = .seconds(1) }
            let model = DictationModel(DictationSession(engine: engine, capturer: capturer))
            var errors: [DictationError?] = []
            model.onTranscript = { errors.append($0.transcript.error) }
            await model.start()
            await clock.advance(by: .seconds(2))
            let stopping = Task { @MainActor in await model.stop() }
            await clock.advance(by: .seconds(5))
            await model.start()
            await clock.advance(by: .seconds(20))
            #expect(errors == [broken] && model.state == .recording)
            #expect(model.error == nil)
            #expect(model.text == "all is well" && model.isEngineReady)
            await model.cancel()
            _ = await stopping.value
        }
    }

    /// Blocks the main actor.
    private func holdUpTheMainActor(_ clock: ContinuousClock = ContinuousClock()) {
        let end = clock.now.advanced(by: .milliseconds(300))
        while clock.now < end {}
    }

    @Test func aHeldUpMainActorShowsTheTakeThatIsUnderWay() async throws {
        let session = DictationSession(
            engine: WordEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(600))]))
        let model = DictationModel(session)
        await model.start()
        let done = Watched(false)
        DictationRuntime.system.task {
            try? await DictationRuntime.system.sleep(.milliseconds(50))
            await session.stop()
            _ = try? await session.start()
            done.change { $0 = true }
        }
        holdUpTheMainActor()
        _ = await done.first { $0 ? true : nil }
        await model.start()
        #expect(model.state == .recording && model.isEngineReady)
        await model.cancel()
        #expect(model.text.isEmpty && model.level == .silence)
    }

    /// The new text comes after the revocation, or at the same time.
    @Test(arguments: [Duration.milliseconds(850), .milliseconds(800)])
    func whatWasTakenBackDoesNotHideWhatFollows(time: Duration) async throws {
        try await VirtualTime.run { @MainActor clock in
            let engine = ScriptedEngine([
                .volatile("hello my", at: .milliseconds(200)), .volatile("hello my dear", at: .milliseconds(400)),
                .volatile("hello my dear friend", at: .milliseconds(600)), .revoke(at: .milliseconds(800)),
                .volatile("good morning", at: time),
            ])
            let model = await self.model(engine)
            await model.start()
            await clock.advance(by: .milliseconds(700))
            #expect(model.text == "hello my dear friend" && model.stableText == "hello my")
            await clock.advance(by: .milliseconds(400))
            #expect(model.text == "good morning")
            await model.cancel()
            #expect(model.text.isEmpty)
        }
    }
}
