import DictationCore
import Testing

@testable import DictationEngines

/// How sessions share a helper, and when it ends.
@Suite struct HelperSharingTests {
    @Test func sessionsOfTheSameDescriptionShareAHelper() async throws {
        let script: ScriptedEngine.Script = [.final("shared")]
        let first = HelperEngine(.scripted(script))
        let second = HelperEngine(.scripted(script))
        let other = HelperEngine(.scripted([.final("another")]))
        let sessions = [
            try await first.makeSession(.liveDictation()), try await second.makeSession(.liveDictation()),
            try await other.makeSession(.liveDictation()),
        ]
        #expect(first.helper != nil && first.helper == second.helper)
        #expect(other.helper != nil && first.helper != other.helper)
        for session in sessions { await session.cancel() }
    }

    @Test func anIdleHelperLingersAndEnds() async throws {
        let engine = HelperRecoveryTests.engine(.scripted(), retention: .lingering(.milliseconds(20)))
        try await engine.prepare(.liveDictation())
        let process = try #require(engine.model.helperProcess)
        await process.waitForEnd()
        #expect(process.number == nil && engine.helper == nil)
        let session = try await engine.makeSession(.liveDictation())
        #expect(engine.helper != nil)
        await session.cancel()
    }

    @Test func aHelperInUseDoesNotEnd() async throws {
        let engine = HelperRecoveryTests.engine(.scripted(), retention: .lingering(.zero))
        let first = try await engine.makeSession(.liveDictation())
        let number = engine.helper
        let second = try await engine.makeSession(.liveDictation())
        await second.cancel()
        #expect(number != nil && engine.helper == number)
        await first.cancel()
    }
}
