import DictationCore
import DictationEngines
import DictationTesting
import Testing

private let failure = DictationError(.engineFailed, "The engine broke.")
private let shown = ScriptedEngine.Script.Step.volatile("go", at: .seconds(1))
private let thoroughText: ScriptedEngine.Script = [.final("One, two, three, four.")]

private func capabilities(sessions: Int? = nil) -> EngineCapabilities {
    EngineCapabilities(ScriptedEngine.scriptedFeatures, maximumSessions: sessions)
}

private func suite(_ engine: TwoPassEngine) -> EngineConformance {
    EngineConformance(
        engine, audio: [AudioBuffer(silence: 16_000 * 5, format: .speech)],
        failing: TwoPassEngine(
            quick: ScriptedEngine([shown, .error(failure, at: .seconds(2))]), thorough: ScriptedEngine(thoroughText)),
        stalling: TwoPassEngine(
            quick: ScriptedEngine([shown, .stall(at: .seconds(2))]), thorough: ScriptedEngine(thoroughText)))
}

@Suite struct TwoPassConformanceTests {
    @Test(arguments: [nil, 1, 3]) func twoScriptedEnginesConform(sessions: Int?) async throws {
        let report = try await VirtualTime.run { _ in
            await expectConformance(
                of: suite(
                    TwoPassEngine(
                        quick: ScriptedEngine(.counting, capabilities: capabilities(sessions: sessions)),
                        thorough: ScriptedEngine(thoroughText, capabilities: capabilities(sessions: sessions)))))
        }
        #expect(report?.unchecked.isEmpty == true, "\(report?.unchecked ?? [:])")
    }

    @Test func itConformsWithoutVolatileResults() async throws {
        try await VirtualTime.run { _ in
            var recordings = suite(
                TwoPassEngine(quick: ScriptedEngine(thoroughText), thorough: ScriptedEngine(.counting)))
            recordings.options = RecognitionOptions()
            recordings.failing = TwoPassEngine(
                quick: ScriptedEngine(thoroughText), thorough: ScriptedEngine([.error(failure, at: .seconds(2))]))
            recordings.stalling = TwoPassEngine(
                quick: ScriptedEngine(thoroughText), thorough: ScriptedEngine([.stall(at: .seconds(2))]))
            await expectConformance(of: recordings)
        }
    }

    @Test func itConformsWhenTheThoroughEngineFails() async throws {
        try await VirtualTime.run { _ in
            var failing = suite(
                TwoPassEngine(quick: ScriptedEngine(.counting), thorough: ScriptedEngine(thoroughText)))
            failing.failing = TwoPassEngine(
                quick: ScriptedEngine(.counting), thorough: ScriptedEngine([.error(failure)]))
            await expectConformance(of: failing)
        }
    }

    @Test(arguments: 1...20) func itConformsInAnyOrderOfTasks(seed: UInt64) async throws {
        _ = try await VirtualTime.run(seed: seed) { _ in
            await expectConformance(
                of: suite(TwoPassEngine(quick: ScriptedEngine(.counting), thorough: ScriptedEngine(thoroughText))))
        }
    }

    @Test func itConformsInRealTime() async {
        var real = suite(TwoPassEngine(quick: ScriptedEngine(.counting), thorough: ScriptedEngine(thoroughText)))
        real.shortTimeout = .milliseconds(100)
        await expectConformance(of: real)
    }
}
