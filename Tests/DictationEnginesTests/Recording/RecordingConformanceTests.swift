import DictationCore
import DictationEngines
import DictationTesting
import Testing

@Suite struct RecordingConformanceTests {
    /// Recording changes nothing of what an engine promises.
    @Test func aRecordedEngineKeepsEveryPromise() async throws {
        let report = try await withTemporaryPath { path in
            try await VirtualTime.run { _ in
                let shown = ScriptedEngine.Script.Step.volatile("go", at: .seconds(1))
                let failure = DictationError(.engineFailed, "The engine broke.")
                let capabilities = EngineCapabilities(ScriptedEngine.scriptedFeatures, maximumSessions: 1)
                let suite = EngineConformance(
                    try RecordingEngine(ScriptedEngine(.counting, capabilities: capabilities), to: path),
                    audio: [AudioBuffer(silence: 16_000 * 5, format: .speech)],
                    failing: try RecordingEngine(
                        ScriptedEngine([shown, .error(failure, at: .seconds(2))]), to: "/dev/null"),
                    stalling: try RecordingEngine(
                        ScriptedEngine([shown, .stall(at: .seconds(2))]), to: "/dev/null"))
                return await expectConformance(of: suite)
            }
        }
        #expect(report?.unchecked.isEmpty == true)
    }
}
