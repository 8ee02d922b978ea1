import DictationCore
import DictationEngines
import Testing

/// An engine in this process and its description for a helper. Both must return the same.
struct HelperPair: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var options = RecognitionOptions(wordTimes: true, finalizationTimeout: .seconds(900))
    let audio: @Sendable () throws -> [AudioBuffer]
    let engines: @Sendable () throws -> (here: any SpeechEngine, helper: EngineDescription)

    static let scripted = HelperPair(
        testDescription: "scripted",
        audio: { [AudioBuffer(silence: 16_000 * 5, format: .speech)] },
        engines: { (ScriptedEngine(), .scripted()) })

    static let twoScripted = HelperPair(
        testDescription: "two passes, scripted",
        audio: { [AudioBuffer(silence: 16_000 * 5, format: .speech)] },
        engines: {
            let thorough: ScriptedEngine.Script = [.final("One, two, three, four.")]
            return (
                TwoPassEngine(quick: ScriptedEngine(), thorough: ScriptedEngine(thorough)),
                .twoPass(quick: .scripted(), thorough: .scripted(thorough))
            )
        })

    static let zipformer = HelperPair(
        testDescription: "zipformer", audio: Self.sentence,
        engines: {
            let model = try SherpaOnnxEngine.Model(folder: SherpaFixtures.modelFolder())
            return (try SherpaFixtures.engine(), try .sherpaOnnx(model, locales: ["en-US"]))
        })

    static let moonshine = HelperPair(
        testDescription: "Moonshine", options: RecognitionOptions(finalizationTimeout: .seconds(900)),
        audio: Self.sentence,
        engines: {
            let model = try SherpaOnnxOfflineEngine.Model(folder: SherpaFixtures.moonshineFolder())
            return (try SherpaFixtures.moonshine(), try .sherpaOnnxOffline(model, locales: ["en-US"]))
        })

    #if PocketSphinx
    static let pocketSphinx = HelperPair(
        testDescription: "PocketSphinx",
        options: RecognitionOptions(
            wordTimes: true, wordConfidence: true, maximumAlternatives: 2, finalizationTimeout: .seconds(900)),
        audio: { buffers(try Speech.ill.samples() + quiet(1)) },
        engines: { (Sphinx.engine, .pocketSphinx([try Sphinx.model()])) })

    static let twoPasses = HelperPair(
        testDescription: "PocketSphinx and Moonshine",
        audio: { buffers(try Speech.ill.samples() + quiet(2) + Speech.himself.samples() + quiet(1)) },
        engines: {
            let model = try SherpaOnnxOfflineEngine.Model(folder: SherpaFixtures.moonshineFolder())
            let thorough = try EngineDescription.sherpaOnnxOffline(model, locales: ["en-US"])
            return (
                TwoPassEngine(quick: Sphinx.engine, thorough: try SherpaFixtures.moonshine()),
                .twoPass(quick: .pocketSphinx([try Sphinx.model()]), thorough: thorough)
            )
        })
    #endif

    private static let sentence: @Sendable () throws -> [AudioBuffer] = {
        (try SherpaFixtures.samples("mfa-ipa_us_2") + [Int16](repeating: 0, count: 16_000)).buffers()
    }

    /// Expects the same results: texts, times, confidence and alternatives.
    func expectSameResults() async throws {
        let (audio, engines) = (try audio(), try engines())
        let here = try await engines.here.results(audio, options).finals
        let helper = try await HelperEngine(engines.helper).results(audio, options).finals
        #expect(!here.isEmpty && here.contains { !$0.text.isEmpty })
        #expect(helper == here)
    }
}

@Suite struct HelperSameTextTests {
    static let pairs: [HelperPair] = [.scripted, .twoScripted, .zipformer]

    @Test(arguments: pairs) func anEngineInAHelperReturnsTheSame(_ pair: HelperPair) async throws {
        try await pair.expectSameResults()
    }
}

@Suite(.serialized) struct HelperSameTextProofTests {
    #if PocketSphinx
    static let pairs: [HelperPair] = [.moonshine, .pocketSphinx, .twoPasses]
    #else
    static let pairs: [HelperPair] = [.moonshine]
    #endif

    @Test(arguments: pairs) func anEngineInAHelperReturnsTheSame(_ pair: HelperPair) async throws {
        try await pair.expectSameResults()
    }
}
