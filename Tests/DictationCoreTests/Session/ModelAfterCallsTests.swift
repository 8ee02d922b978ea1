import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// When a call returns, the model shows its effect, in whatever order tasks run.
@Suite struct ModelAfterCallsTests {
    @Test(arguments: 0..<40)
    func theStateIsTheCallsWhenItReturns(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let session = DictationSession(
                engine: ScriptedEngine(), capturer: ScriptedCapturer([.tone(440, for: .seconds(60))]))
            try await session.start()
            #expect(session.state == .recording)
            await clock.advance(by: .seconds(3))
            let transcript = await session.stop()
            #expect(session.state == .idle)
            #expect(transcript.text.hasPrefix("one two three four one two"))

            let denied = DictationSession(
                engine: ScriptedEngine([.failingStart(.broken)]), capturer: ScriptedCapturer([]))
            await #expect(throws: DictationError.broken) { try await denied.start() }
            #expect(denied.state == .failed(.broken))
        }
    }

    @Test(arguments: 0..<40)
    func aResumeRightBehindAPauseRecordsWhenItReturns(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { clock in
            let capturer = ScriptedCapturer([.tone(440, for: .seconds(60))])
            let session = DictationSession(engine: ScriptedEngine(), capturer: capturer)
            try await session.start()
            for _ in 1...3 {
                await clock.advance(by: .seconds(1))
                await session.pause()
                try await session.resume()
                #expect(session.state == .recording)
            }
            await clock.advance(by: .seconds(2))
            #expect(session.state == .recording)
            let transcript = await session.stop()
            #expect(transcript.duration >= .seconds(5))
            #expect(transcript.isComplete)
        }
    }

    @Test(arguments: 0..<10)
    @MainActor func theModelShowsWhatACallBroughtAbout(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { @MainActor clock in
            let engine = ScriptedEngine(sessions: [.counting, [.failingStart(.broken)], .counting])
            let model = DictationModel(
                DictationSession(engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(60))])))
            var ended: [String] = []
            model.onTranscript = { ended.append($0.transcript.text) }
            await model.start(from: "the search field")
            #expect(model.state == .recording)
            #expect(model.origin == "the search field")
            await clock.advance(by: .milliseconds(1_200))
            #expect(model.text == "one two")
            await model.pause()
            #expect(model.state == .paused)
            await model.resume()
            #expect(model.state == .recording)
            let transcript = await model.stop()
            #expect(model.state == .idle)
            #expect(model.transcript == transcript)
            #expect(ended == [transcript.text])
            await model.start()
            #expect(model.error == .broken)
            #expect(model.state == .failed(.broken))
            await model.start()
            #expect(model.error == nil)
            await model.cancel()
            #expect(model.state == .idle)
            #expect(ended == [transcript.text, ""])
        }
    }
}

extension DictationError {
    fileprivate static let broken = DictationError(.modelInvalid, "The model is broken.", recovery: "Install it again.")
}
