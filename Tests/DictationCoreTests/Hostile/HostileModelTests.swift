import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// The model of a user interface during random calls.
@Suite @MainActor struct HostileModelTests {
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func eachTakeThatEndsIsGivenOnceWithItsOrigin(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { @MainActor clock in
            let engine = ScriptedEngine()
            let session = DictationSession(
                engine: engine,
                capturer: ScriptedCapturer([
                    .tone(440, for: .seconds(2)), .unplug(for: .seconds(1)), .tone(300, for: .seconds(900)),
                ]),
                spool: HostileSpool(), configuration: shortLimits())
            let model = DictationModel(session)
            let witness = Witness(session)
            var given: [DictationModel.EndedTake] = []
            model.onTranscript = { given.append($0) }
            var random = SplitMix64(seed: seed)
            var tasks: [Task<Void, Never>] = []
            for number in 0..<40 {
                let choice = Int.random(in: 0..<7, using: &random)
                tasks.append(
                    DictationRuntime.current.task { @MainActor @Sendable in
                        switch choice {
                        case 0: await model.start(from: "field \(number)")
                        case 1: _ = await model.stop()
                        case 2: await model.cancel()
                        case 3: await model.toggle(from: "field \(number)")
                        case 4: await model.pause()
                        case 5: await model.resume()
                        default: _ = try? await session.start()
                        }
                    })
                await clock.advance(by: .milliseconds([0, 0, 50, 400, 2_500].randomElement(using: &random) ?? 0))
            }
            await clock.advance(by: .seconds(30))
            for task in tasks { await task.value }
            _ = await model.stop()
            await clock.advance(by: .seconds(30))
            #expect(witness.problems == [])
            #expect(Dictionary(given.map { ($0.id, $0.transcript) }, uniquingKeysWith: { a, _ in a }) == witness.ended)
            #expect(given.count == witness.ended.count)
            #expect(model.state == session.state)
            #expect(model.finalText == session.transcript.text)
            #expect(model.stableText.isEmpty && model.changingText.isEmpty)
        }
    }

    @Test func callsFromOnTranscriptAreTaken() async throws {
        try await VirtualTime.run { @MainActor clock in
            let session = DictationSession(
                engine: ScriptedEngine([.final("said", at: .seconds(0.1))]), capturer: ScriptedCapturer([]),
                configuration: shortLimits())
            let model = DictationModel(session)
            var given: [String?] = []
            model.onTranscript = { [weak model] ended in
                given.append(ended.origin)
                guard given.count < 4 else { return }
                _ = DictationRuntime.current.task { @MainActor @Sendable in
                    await model?.start(from: "again \(given.count)")
                    _ = await model?.stop()
                }
            }
            await model.start(from: "first")
            _ = await model.stop()
            await clock.advance(by: .seconds(30))
            #expect(given == ["first", "again 1", "again 2", "again 3"])
            #expect(model.state == .idle)
        }
    }

    @Test func textOnlyMovesForwardThroughThePieces() async throws {
        try await VirtualTime.run { @MainActor clock in
            let model = DictationModel(
                DictationSession(engine: ScriptedEngine(), capturer: ScriptedCapturer([]), configuration: shortLimits())
            )
            await model.start()
            var final = ""
            for _ in 0..<300 {
                await clock.advance(by: .milliseconds(37))
                #expect(model.finalText.hasPrefix(final))
                final = model.finalText
                let shown = model.locale.join([model.finalText, model.stableText, model.changingText])
                #expect(model.text == shown)
            }
            #expect(await model.stop().text == model.finalText)
        }
    }

    @Test func aFailedStartShowsItsErrorAndTheNextOneClearsIt() async throws {
        try await VirtualTime.run { @MainActor clock in
            let busy = DictationError(.modelNotInstalled, "There is none.", recovery: "Install one.")
            let engine = ScriptedEngine(sessions: [[.failingStart(busy)], [.final("said", at: .seconds(1))]])
            let model = DictationModel(
                DictationSession(engine: engine, capturer: ScriptedCapturer([]), configuration: shortLimits()))
            var given: [DictationModel.EndedTake] = []
            model.onTranscript = { given.append($0) }
            await model.start(from: "a")
            await clock.advance(by: .seconds(5))
            #expect(model.error == busy)
            #expect(model.state == .failed(busy))
            await model.start(from: "b")
            await clock.advance(by: .seconds(2))
            #expect(model.error == nil)
            #expect(model.origin == "b")
            #expect(await model.stop().text == "said")
            await clock.advance(by: .seconds(2))
            #expect(given.map(\.origin) == ["a", "b"])
            #expect(given.first?.transcript.error == busy)
        }
    }

    @Test func aModelThatIsReleasedLeavesNothing() async throws {
        try await VirtualTime.run { @MainActor clock in
            let engine = ScriptedEngine()
            var model: DictationModel? = DictationModel(
                DictationSession(engine: engine, capturer: ScriptedCapturer([]), configuration: shortLimits()))
            weak let released = model
            weak let session = model?.session
            await model?.start()
            await clock.advance(by: .seconds(1))
            model = nil
            await clock.advance(by: .seconds(60))
            #expect(released == nil)
            #expect(session == nil)
            #expect(engine.openSessions == 0)
        }
    }
}
