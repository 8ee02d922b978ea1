import DictationCapture
import DictationCore
import DictationTesting
import Testing

/// Recognition sessions whose calls hang or fail.
@Suite struct HostileEngineEndTests {
    enum Way: CaseIterable, Sendable { case hangs, isDeaf, throwsError, throwsCancelled, saysIncomplete }

    static func behave(_ way: Way, _ gate: Gate)
        -> @Sendable (HandSession) async throws(DictationError) -> FinalizationOutcome
    {
        { _ throws(DictationError) in
            switch way {
            case .hangs:
                do { try await DictationRuntime.current.sleep(.seconds(1e6)) } catch {
                    throw DictationError(.cancelled, "It was cancelled.")
                }
                return .complete
            case .isDeaf:
                await gate.wait()
                return .complete
            case .throwsError: throw DictationError(.engineFailed, "It broke.")
            case .throwsCancelled: throw DictationError(.cancelled, "It was cancelled.")
            case .saysIncomplete: return .incomplete
            }
        }
    }

    @Test(arguments: Way.allCases, Way.allCases)
    func endsThatDoNotEndCostNoWords(finish: Way, cancel: Way) async throws {
        try await VirtualTime.run { clock in
            let gate = Gate()
            let cancelling = Self.behave(cancel, gate)
            let (text, _, sessions, captured) = await HostileEngineTests.take(
                .init(
                    finalize: Self.behave(finish, gate), finish: Self.behave(finish, gate),
                    cancel: { _ = try? await cancelling($0) }, endsWithInput: false), clock: clock)
            #expect(text.text == "w0 w1 w2 w3 w4")
            #expect(text.duration == captured)
            #expect(!text.isComplete)
            let left = unaccounted(text, fed: sessions.made.value.flatMap(\.fed.value))
            #expect(left.missing == .zero && left.doubled == .zero, "\(text.gaps)")
            gate.open()
            await clock.advance(by: .seconds(5))
        }
    }

    @Test(arguments: Way.allCases) func aFinalizeThatDoesNotEndKeepsAPausedTake(way: Way) async throws {
        try await VirtualTime.run { clock in
            let gate = Gate()
            let sessions = HandSessions()
            let engine = sessions.engine(.init(finalize: Self.behave(way, gate)))
            let session = DictationSession(engine: engine, capturer: ScriptedCapturer([]), configuration: shortLimits())
            let witness = Witness(session)
            try await session.start()
            for _ in 0..<3 {
                await clock.advance(by: .seconds(1.05))
                await session.pause()
                await clock.advance(by: .seconds(3_600))
                try await session.resume()
            }
            let text = await session.stop()
            #expect(text.text == "w0 w1 w2")
            #expect(text.error == nil)
            gate.open()
            await clock.advance(by: .seconds(30))
            #expect(witness.problems == [])
        }
    }
}
