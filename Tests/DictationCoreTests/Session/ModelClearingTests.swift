import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// A model shows nothing that is no longer true.
@Suite @MainActor struct ModelClearingTests {
    @Test func anUnpluggedMicrophoneHasNoLevel() async throws {
        try await VirtualTime.run { @MainActor clock in
            let capturer = ScriptedCapturer([
                .tone(440, for: .seconds(1)), .unplug(for: .seconds(5)), .tone(440, for: .seconds(60)),
            ])
            let model = DictationModel(DictationSession(engine: WordEngine(), capturer: capturer))
            await model.start()
            await clock.advance(by: .milliseconds(900))
            #expect(model.level != .silence && model.interruption == nil)
            await clock.advance(by: .seconds(2))
            #expect(model.level == .silence && model.interruption != nil)
            await clock.advance(by: .seconds(5))
            #expect(model.level != .silence && model.interruption == nil)
            await model.stop()
            #expect(model.level == .silence && model.input == nil)
        }
    }

    @Test func anInterruptionEndsWithItsTake() async throws {
        try await VirtualTime.run { @MainActor clock in
            let capturer = ScriptedCapturer([.tone(440, for: .seconds(1)), .unplug(for: .seconds(60))])
            let model = DictationModel(DictationSession(engine: WordEngine(), capturer: capturer))
            await model.start()
            await clock.advance(by: .seconds(2))
            #expect(model.interruption != nil)
            await model.cancel()
            #expect(model.interruption == nil)
        }
    }

    @Test func anEngineIsReadyForItsTakeAlone() async throws {
        try await VirtualTime.run { @MainActor clock in
            let capturer = ScriptedCapturer([.tone(440, for: .seconds(60))])
            let model = DictationModel(DictationSession(engine: WordEngine(), capturer: capturer))
            for cancels in [false, true] {
                await model.start()
                await clock.advance(by: .seconds(1))
                #expect(model.isEngineReady)
                if cancels { await model.cancel() } else { await model.stop() }
                #expect(!model.isEngineReady)
            }
        }
    }

    @Test func aCancelledTakesTextIsGone() async throws {
        try await VirtualTime.run { @MainActor clock in
            let capturer = ScriptedCapturer([.tone(440, for: .seconds(60))])
            let model = DictationModel(DictationSession(engine: WordEngine(), capturer: capturer))
            await model.start()
            await clock.advance(by: .milliseconds(2_600))
            #expect(model.finalResults.map(\.text) == ["word 1", "word 2"] && model.text == "word 1 word 2 wor 3")
            #expect(model.finalResults.map(\.range.upperBound) == [.seconds(1), .seconds(2)])
            await model.cancel()
            #expect(model.text.isEmpty && model.finalResults.isEmpty)
        }
    }

    @Test func phrasesAreThoseOfTheTranscript() async throws {
        try await VirtualTime.run { @MainActor clock in
            let capturer = ScriptedCapturer([.tone(440, for: .seconds(60))])
            let model = DictationModel(DictationSession(engine: WordEngine(), capturer: capturer))
            await model.start()
            await clock.advance(by: .milliseconds(2_600))
            let transcript = await model.stop()
            #expect(model.finalResults == transcript.segments && model.finalText == transcript.text)
        }
    }

    /// The last audio before a pause is reported after the state has changed.
    @Test(arguments: [DictationSession.State.paused, .finalizing]) func whatIsReportedLateIsNotShown(
        state: DictationSession.State
    ) {
        let take = TakeID(number: 1)
        var shown = DictationSession.Snapshot()
        let loud = AudioLevel(rms: Decibels(-10), peak: Decibels(-3))
        shown.apply(DictationEvent(take: take, kind: .state(.recording)))
        shown.apply(DictationEvent(take: take, kind: .level(loud)))
        #expect(shown.level == loud)
        let late: [DictationEvent.Kind] = [.state(state), .level(loud), .input(.speech), .interrupted(.noData)]
        for kind in late { shown.apply(DictationEvent(take: take, kind: kind)) }
        #expect(shown.level == .silence && shown.input == nil && shown.interruption == nil)
    }
}
