import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// A model's phrases are those of the take that it shows.
@Suite @MainActor struct SurfaceModelTests {
    private static let broken = DictationError(.modelInvalid, "It is broken.", recovery: "Mend it.")

    private func model(
        _ engine: any SpeechEngine = WordEngine(),
        _ script: [ScriptedCapturer.Step] = [.tone(440, for: .seconds(9_000))],
        configure: (inout ScriptedCapturer.Behavior) -> Void = { _ in }
    ) -> DictationModel {
        DictationModel(
            DictationSession(
                engine: engine, capturer: ScriptedCapturer(script, configure: configure), configuration: shortLimits()))
    }

    @Test func anUnpluggedMicrophoneKeepsThePhrases() async throws {
        try await VirtualTime.run { @MainActor clock in
            let model = self.model(
                WordEngine(),
                [.tone(440, for: .milliseconds(2_500)), .unplug(for: .seconds(5)), .tone(440, for: .seconds(60))])
            await model.start(from: "a")
            await clock.advance(by: .seconds(4))
            #expect(model.interruption != nil && model.level == .silence)
            #expect(model.finalResults.map(\.text) == ["word 1", "word 2"] && model.finalText == "word 1 word 2")
            #expect(model.origin == "a" && model.error == nil)
            await clock.advance(by: .seconds(6))
            #expect(model.interruption == nil && model.finalResults.count > 2)
            await model.stop()
        }
    }

    @Test func aDeviceThatIsLostKeepsThePhrasesAndItsError() async throws {
        try await VirtualTime.run { @MainActor clock in
            let model = self.model(WordEngine(), [.tone(440, for: .milliseconds(2_500)), .unplug])
            var ended: [DictationModel.EndedTake] = []
            model.onTranscript = { ended.append($0) }
            await model.start(from: "field")
            await clock.advance(by: .seconds(90))
            #expect(model.finalResults.map(\.text).starts(with: ["word 1", "word 2"]))
            #expect(model.error?.code == .deviceLost && model.error == model.transcript?.error)
            #expect(model.interruption == nil && model.level == .silence && model.input == nil)
            #expect(!model.isEngineReady && model.changingText.isEmpty && model.stableText.isEmpty)
            #expect(ended.map(\.origin) == ["field"] && ended.first?.transcript.segments == model.finalResults)
            await model.start()
            #expect(model.error == nil && model.finalResults.isEmpty && model.text.isEmpty)
            await model.cancel()
            #expect(ended.count == 1)
        }
    }

    @Test func aStartThatFailsShowsItsErrorAndNoOldText() async throws {
        try await VirtualTime.run { @MainActor clock in
            let engine = ScriptedEngine(sessions: [
                [.final("old", at: .seconds(1))], [.failingStart(Self.broken)], [.final("new", at: .seconds(1))],
            ])
            let model = self.model(engine)
            await model.start(from: "one")
            await clock.advance(by: .seconds(2))
            await model.stop()
            #expect(model.finalResults.map(\.text) == ["old"])
            await model.start(from: "two")
            #expect(model.error == Self.broken)
            #expect(model.finalResults.isEmpty && model.text.isEmpty && model.origin == "two")
            #expect(model.elapsed < .seconds(2) && model.level == .silence && model.input == nil)
            await model.start(from: "three")
            #expect(model.error == nil && model.origin == "three")
            await clock.advance(by: .seconds(2))
            #expect(model.finalResults.map(\.text) == ["new"])
            await model.stop()
        }
    }

    @Test func aMicrophoneThatMayNotRecordLeavesNothing() async throws {
        try await VirtualTime.run { @MainActor clock in
            let model = self.model(configure: { $0.authorization = .denied("It is forbidden.") })
            await model.start()
            #expect(model.error?.code == .permissionDenied && model.finalResults.isEmpty && model.elapsed == .zero)
            #expect(!model.state.isActive)
            await model.resume()
            #expect(model.error?.code == .notRunning)
        }
    }

    @Test func aCancelClearsAllOfTheTake() async throws {
        try await VirtualTime.run { @MainActor clock in
            let model = self.model()
            var ended = 0
            model.onTranscript = { _ in ended += 1 }
            await model.start(from: "a")
            await clock.advance(by: .milliseconds(2_700))
            #expect(!model.finalResults.isEmpty && !model.changingText.isEmpty)
            await model.cancel()
            #expect(model.finalResults.isEmpty && model.text.isEmpty && model.finalText.isEmpty)
            #expect(model.state == .idle && model.level == .silence && model.input == nil)
            #expect(model.interruption == nil && model.error == nil && !model.isEngineReady)
            await clock.advance(by: .seconds(60))
            #expect(model.finalResults.isEmpty && ended == 0)
        }
    }

    /// A take that finalizes slowly while a later one records leaves the later one's phrases alone.
    @Test func anEarlierTakeDoesNotReachTheNextOnesPhrases() async throws {
        try await VirtualTime.run { @MainActor clock in
            let engine = ScriptedEngine(sessions: [
                [.final("one", at: .seconds(1)), .final("late"), .slowFinish(.milliseconds(900))],
                [.final("two", at: .seconds(1))],
            ])
            let model = self.model(engine)
            var ended: [DictationModel.EndedTake] = []
            model.onTranscript = { ended.append($0) }
            await model.start(from: "a")
            await clock.advance(by: .milliseconds(1_500))
            let stopping = DictationRuntime.current.task { @MainActor @Sendable in await model.stop().text }
            await clock.advance(by: .milliseconds(400))
            await model.start(from: "b")
            #expect(model.finalResults.isEmpty && model.origin == "b")
            await clock.advance(by: .seconds(2))
            #expect(model.finalResults.map(\.text) == ["two"])
            #expect(await stopping.value == "one late")
            await model.stop()
            #expect(ended.map(\.origin) == ["a", "b"] && ended.map(\.transcript.text) == ["one late", "two"])
            #expect(model.finalResults.map(\.text) == ["two"])
        }
    }

    /// Whatever the user does, phrases, text and transcript agree once the model is quiet.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func phrasesAndTextAlwaysAgree(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { @MainActor clock in
            var random = SplitMix64(seed: seed)
            let model = self.model(
                WordEngine(),
                [.tone(440, for: .seconds(2)), .unplug(for: .seconds(1)), .tone(440, for: .seconds(9_000))])
            var ended: [TakeID: Transcript] = [:]
            model.onTranscript = { take in
                #expect(ended.updateValue(take.transcript, forKey: take.id) == nil, "seed \(seed)")
            }
            for _ in 0..<20 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0: await model.start()
                case 1: await model.stop()
                case 2: await model.cancel()
                case 3: await model.pause()
                case 4: await model.resume()
                default: await model.toggle()
                }
                #expect(model.finalText == model.locale.join(model.finalResults.map(\.text)), "seed \(seed)")
                await clock.advance(by: .milliseconds(Int.random(in: 0...2_500, using: &random)))
                #expect(model.finalText == model.locale.join(model.finalResults.map(\.text)), "seed \(seed)")
                #expect(model.finalResults == model.session?.transcript.segments, "seed \(seed)")
                if !model.state.isActive, model.state != .finalizing {
                    #expect(model.level == .silence && model.input == nil && !model.isEngineReady, "seed \(seed)")
                    #expect(model.stableText.isEmpty && model.changingText.isEmpty, "seed \(seed)")
                }
            }
            await model.stop()
        }
    }
}
