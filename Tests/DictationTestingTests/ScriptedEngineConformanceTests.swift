import DictationCore
import DictationEngines
import DictationTesting
import Testing

@Suite struct ScriptedEngineConformanceTests {
    @Test(arguments: [nil, 1, 3]) func theScriptedEngineConforms(sessions: Int?) async throws {
        let report = try await VirtualTime.run { _ in
            let capabilities = EngineCapabilities(ScriptedEngine.scriptedFeatures, maximumSessions: sessions)
            let failure = DictationError(.engineFailed, "The engine broke.")
            let shown = ScriptedEngine.Script.Step.volatile("go", at: .seconds(1))
            let suite = EngineConformance(
                ScriptedEngine(.counting, capabilities: capabilities),
                audio: [AudioBuffer(silence: 16_000 * 5, format: .speech)],
                failing: ScriptedEngine([shown, .error(failure, at: .seconds(2))]),
                stalling: ScriptedEngine([shown, .stall(at: .seconds(2))]))
            return await expectConformance(of: suite)
        }
        #expect(report?.unchecked.isEmpty == true)
    }

    @Test func itConformsInRealTime() async {
        await expectConformance(
            of: EngineConformance(
                ScriptedEngine(.counting), audio: [AudioBuffer(silence: 16_000 * 5, format: .speech)],
                shortTimeout: .milliseconds(100)))
    }
}
