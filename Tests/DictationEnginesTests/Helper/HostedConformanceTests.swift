import DictationCore
import DictationEngines
import DictationTesting
import Testing

private let failure = DictationError(.engineFailed, "The engine broke.")
private let shown = SpeechScript.Step.volatile("go", at: .seconds(1))

/// What an engine promises, it also promises in a process of its own.
@Suite struct HostedConformanceTests {
    @Test func aScriptedEngineConformsInItsOwnProcess() async throws {
        var suite = EngineConformance(
            HostedEngine(.scripted()), audio: [AudioBuffer(silence: 16_000 * 5, format: .speech)],
            failing: HostedEngine(.scripted([shown, .error(failure, at: .seconds(2))])),
            stalling: HostedEngine(.scripted([shown, .stall(at: .seconds(2))])))
        suite.shortTimeout = .milliseconds(100)
        let report = await expectConformance(of: suite)
        #expect(report?.unchecked.isEmpty == true, "\(report?.unchecked ?? [:])")
    }

    @Test func aStreamingModelConformsInItsOwnProcess() async throws {
        let model = try SherpaOnnxModel(folder: SherpaFixtures.generatedFolder("streaming-nemo-ctc"))
        let engine = HostedEngine(try .sherpaOnnx(model, locales: ["en-US"]))
        await expectConformance(
            of: EngineConformance(
                engine, audio: try GeneratedModel.speech().buffers(), responseTimeout: .seconds(10)))
    }
}

@Suite(.serialized) struct HostedConformanceProofTests {
    @Test func twoPassesConformInOneProcess() async throws {
        let engine = HostedEngine(.twoPass(quick: .scripted(), thorough: .scripted([.final("One, two, three, four.")])))
        await expectConformance(
            of: EngineConformance(engine, audio: [AudioBuffer(silence: 16_000 * 5, format: .speech)]))
    }

    @Test func anOfflineModelConformsInItsOwnProcess() async throws {
        let model = try SherpaOnnxOfflineModel(folder: SherpaFixtures.moonshineFolder())
        let engine = HostedEngine(try .sherpaOnnxOffline(model, locales: ["en-US"]))
        let audio = try SherpaFixtures.samples("mfa-ipa_us_2").buffers()
        await expectConformance(of: EngineConformance(engine, audio: audio, responseTimeout: .seconds(60)))
    }

    @Test func aZipformerConformsInItsOwnProcess() async throws {
        let model = try SherpaOnnxModel(folder: SherpaFixtures.modelFolder())
        let engine = HostedEngine(try .sherpaOnnx(model, locales: ["en-US"]))
        let audio = try SherpaFixtures.samples("mfa-ipa_us_2").buffers()
        await expectConformance(of: EngineConformance(engine, audio: audio, responseTimeout: .seconds(60)))
    }

    #if PocketSphinx
    @Test func pocketSphinxConformsInItsOwnProcess() async throws {
        let engine = HostedEngine(.pocketSphinx([try Sphinx.model()]))
        await expectConformance(
            of: EngineConformance(
                engine, audio: buffers(try Speech.ill.samples() + quiet(1)),
                options: Sphinx.options { $0.volatileResults = true }, responseTimeout: .seconds(60)))
    }
    #endif
}
