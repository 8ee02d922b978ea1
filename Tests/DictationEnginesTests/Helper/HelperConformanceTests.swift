import DictationCore
import DictationEngines
import DictationTesting
import Testing

private let failure = DictationError(.engineFailed, "The engine broke.")
private let shown = ScriptedEngine.Script.Step.volatile("go", at: .seconds(1))

/// What an engine promises, it also promises in a process of its own.
@Suite struct HelperConformanceTests {
    @Test func aScriptedEngineConformsInItsOwnProcess() async throws {
        var suite = EngineConformance(
            HelperEngine(.scripted()), audio: [AudioBuffer(silence: 16_000 * 5, format: .speech)],
            failing: HelperEngine(.scripted([shown, .error(failure, at: .seconds(2))])),
            stalling: HelperEngine(.scripted([shown, .stall(at: .seconds(2))])))
        suite.shortTimeout = .milliseconds(100)
        let report = await expectConformance(of: suite)
        #expect(report?.unchecked.isEmpty == true, "\(report?.unchecked ?? [:])")
    }

    @Test func aStreamingModelConformsInItsOwnProcess() async throws {
        let model = try SherpaOnnxEngine.Model(folder: SherpaFixtures.generatedFolder("streaming-nemo-ctc"))
        let engine = HelperEngine(try .sherpaOnnx(model, locales: ["en-US"]))
        await expectConformance(
            of: EngineConformance(
                engine, audio: try GeneratedModel.speech().buffers(), responseTimeout: .seconds(10)))
    }
}

@Suite(.serialized) struct HelperConformanceProofTests {
    @Test func twoPassesConformInOneProcess() async throws {
        let engine = HelperEngine(.twoPass(quick: .scripted(), thorough: .scripted([.final("One, two, three, four.")])))
        await expectConformance(
            of: EngineConformance(engine, audio: [AudioBuffer(silence: 16_000 * 5, format: .speech)]))
    }

    @Test func anOfflineModelConformsInItsOwnProcess() async throws {
        let model = try SherpaOnnxOfflineEngine.Model(folder: SherpaFixtures.moonshineFolder())
        let engine = HelperEngine(try .sherpaOnnxOffline(model, locales: ["en-US"]))
        let audio = try SherpaFixtures.samples("mfa-ipa_us_2").buffers()
        await expectConformance(of: EngineConformance(engine, audio: audio, responseTimeout: .seconds(60)))
    }

    @Test func aZipformerConformsInItsOwnProcess() async throws {
        let model = try SherpaOnnxEngine.Model(folder: SherpaFixtures.modelFolder())
        let engine = HelperEngine(try .sherpaOnnx(model, locales: ["en-US"]))
        let audio = try SherpaFixtures.samples("mfa-ipa_us_2").buffers()
        await expectConformance(of: EngineConformance(engine, audio: audio, responseTimeout: .seconds(60)))
    }

    #if PocketSphinx
    @Test func pocketSphinxConformsInItsOwnProcess() async throws {
        let engine = HelperEngine(.pocketSphinx([try Sphinx.model()]))
        await expectConformance(
            of: EngineConformance(
                engine, audio: buffers(try Speech.ill.samples() + quiet(1)),
                options: Sphinx.options { $0.volatileResults = true }, responseTimeout: .seconds(60)))
    }
    #endif
}
