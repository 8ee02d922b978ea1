import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import TestSupport
import Testing

@testable import DictationService

/// A model that shows a service through its interface.
@Suite struct FollowingModelTests {
    /// A service whose microphone has sound.
    private static func service(_ engine: ScriptedEngine) -> DictationService {
        let microphone = ScriptedCapturer([.tone(440, for: .seconds(10))])
        return DictationService(session: DictationSession(engine: engine, capturer: microphone))
    }

    @MainActor @Test func itShowsATakeAndReturnsItsText() async throws {
        try await VirtualTime.run { @MainActor clock in
            let engine = ScriptedEngine([
                .volatile("buy", at: .seconds(1)), .final("buy milk", at: .seconds(2)),
                .volatile("and", at: .seconds(3)),
            ])
            let service = Self.service(engine)
            let model = DictationModel(following: service)
            await model.start(from: "notes")
            await clock.advance(by: .milliseconds(1_500))
            #expect(model.state == .recording)
            #expect(model.text == "buy")
            await clock.advance(by: .seconds(2))
            #expect(model.finalText == "buy milk")
            #expect(model.changingText == "and")
            #expect(model.origin == "notes")
            var ended: [DictationModel.EndedTake] = []
            model.onTranscript = { ended.append($0) }
            let transcript = await model.stop()
            #expect(transcript.text.hasPrefix("buy milk"))
            #expect(ended.map(\.origin) == ["notes"])
            #expect(model.transcript?.text == transcript.text)
            #expect(!model.finalResults.isEmpty)
            await clock.advance(by: .seconds(1))
            #expect(model.state == .idle)
        }
    }

    @MainActor @Test func wordsThatTwoHypothesesAgreeOnAreStable() async throws {
        try await VirtualTime.run { @MainActor clock in
            let engine = ScriptedEngine([
                .volatile("buy milk", at: .seconds(1)), .volatile("buy milk today", at: .seconds(2)),
                .final("Buy milk today.", at: .seconds(4)),
            ])
            let service = Self.service(engine)
            let model = DictationModel(following: service)
            await model.start()
            // A level does not count as another hypothesis.
            await clock.advance(by: .milliseconds(1_500))
            #expect(model.stableText.isEmpty && model.changingText == "buy milk")
            await clock.advance(by: .seconds(1))
            #expect(model.stableText == "buy" && model.changingText == "milk today")
            await clock.advance(by: .seconds(2))
            #expect(model.finalText == "Buy milk today." && model.stableText.isEmpty && model.changingText.isEmpty)
            _ = await model.stop()
        }
    }

    @MainActor @Test func whatAnotherCallerDictatesIsShownAndGivenToNobodyElse() async throws {
        try await VirtualTime.run { @MainActor clock in
            let engine = ScriptedEngine([.final("for somebody else", at: .seconds(1))])
            let service = Self.service(engine)
            let model = DictationModel(following: service)
            try await service.start()
            await clock.advance(by: .seconds(2))
            #expect(model.text == "for somebody else")
            #expect(try await service.stop()?.text == "for somebody else")
            await clock.advance(by: .seconds(1))
            #expect(model.state == .idle)
            #expect(await model.stop().isEmpty)
        }
    }

    /// A service that is started later is found.
    @MainActor @Test func aServiceThatDoesNotRunIsAnErrorUntilItDoes() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("run/socket")
        let model = DictationModel(following: try DictationClient(path: path))
        #expect(await shows { model.error?.code == .notRunning })
        let service = DictationService(
            session: DictationSession(
                engine: ScriptedEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(9))])))
        let listener = try ServiceListener.open(service, at: path)
        #expect(await shows { model.error == nil })
        await model.start()
        #expect(await shows { model.state == .recording })
        await model.cancel()
        #expect(await shows { model.state == .idle })
        await listener.close()
    }

    @MainActor private func shows(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<6_000 where !condition() { try? await DictationRuntime.system.sleep(.milliseconds(5)) }
        return condition()
    }
}
