import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// A finder among candidates that join two engines.
@Suite struct TwoPassFinderTests {
    private static let quickFeatures: Set<EngineCapabilities.Feature> = [
        .dictation, .volatileResults, .wordTimes, .alternatives, .contextualStrings, .grammars, .keyphrases,
    ]

    private static func model(
        _ name: String, _ locales: [SpeechLocale], _ features: Set<EngineCapabilities.Feature>
    ) -> EngineCandidate.Model {
        EngineCandidate.Model(name: name, locales: locales) {
            ScriptedEngine(name: name, locales: locales, capabilities: EngineCapabilities(features))
        }
    }

    private static let fast = model("fast", ["en-US", "de-DE"], quickFeatures)
    private static let plain = model("plain", ["en-US"], [.dictation, .volatileResults])
    private static let good = model("good", ["en-US"], [.dictation, .volatileResults])

    private static func library(isInstalled: Bool) -> EngineCandidate.Library {
        EngineCandidate.Library(name: "speech") { () throws(DictationError) in
            if !isInstalled { throw DictationError(.libraryNotInstalled, "It is missing.", recovery: "Install it.") }
        }
    }

    private static func candidates(
        thorough: [EngineCandidate.Model] = [good], quick: [EngineCandidate.Model] = [plain, fast],
        hasLibrary: Bool = true
    ) -> [EngineCandidate] {
        let large = EngineCandidate("large", library: library(isInstalled: hasLibrary), models: { thorough }) {
            folder, locale throws(DictationError) in model(folder, [locale], [.dictation, .volatileResults])
        }
        let small = EngineCandidate("small", models: quick)
        return [.twoPass(thorough: [large], quick: [small]), large, small]
    }

    private func found(
        _ options: RecognitionOptions = .liveDictation("en-US"), among candidates: [EngineCandidate],
        required: EngineID? = nil, folder: String? = nil
    ) async throws -> FoundEngine {
        var finder = EngineFinder(options: options, candidates: candidates)
        (finder.requiredEngine, finder.modelFolder) = (required, folder)
        switch await finder.search() {
        case .found(let found): return found
        case .missing(let missing): throw missing.error
        }
    }

    @Test func theBestModelsAreJoined() async throws {
        let found = try await found(among: Self.candidates())
        #expect(found.id == .twoPass && found.model == "good + plain")
        let engine = try #require(found.engine as? TwoPassEngine)
        #expect(engine.thorough.name == "good" && engine.quick.name == "plain")
    }

    /// People see the text of the engine that makes fewer errors, and words have times all the same.
    @Test(arguments: [false, true]) func theBetterEnginesTextIsShown(hasTimes: Bool) async throws {
        var options = RecognitionOptions.liveDictation("en-US")
        options.wordTimes = hasTimes
        try await VirtualTime.run { [options] _ in
            let engine = try #require(try await found(options, among: Self.candidates()).engine as? TwoPassEngine)
            #expect(engine.preview == .thorough)
            let quick = try #require(engine.quick as? ScriptedEngine)
            let updates = try await engine.results([AudioBuffer(silence: 64_000, format: .speech)], options)
            #expect(!updates.volatiles.isEmpty)
            #expect(updates.words.allSatisfy { $0.range != nil } && updates.words.isEmpty != hasTimes)
            #expect(quick.sessions.isEmpty != hasTimes, "the quick engine works only where it is needed")
        }
    }

    /// Each request finds the best engine that honors it.
    @Test(
        arguments: [
            ("wordTimes", .twoPass, "good + fast"), ("contextualStrings", "small", "fast"),
            ("alternatives", "small", "fast"), ("grammar", "small", "fast"), ("keyphrases", "small", "fast"),
            ("German", "small", "fast"),
        ] as [(String, EngineID, String)])
    func aRequestIsHonored(request: String, engine: EngineID, model: String) async throws {
        var options = RecognitionOptions.liveDictation("en-US")
        switch request {
        case "wordTimes": options.wordTimes = true
        case "contextualStrings": options.contextualStrings = ["Stella"]
        case "alternatives": options.maximumAlternatives = 2
        case "grammar":
            options.task = .grammar(RecognitionTask.Grammar(jsgf: "#JSGF V1.0; grammar g; public <g> = go;"))
        case "keyphrases": options.task = .keyphrases([RecognitionTask.Keyphrase("go")])
        default: options.locale = "de-DE"
        }
        let found = try await found(options, among: Self.candidates())
        #expect(found.id == engine && found.model == model)
    }

    @Test func oneEngineIsFoundWhereOneIsAskedForOrThere() async throws {
        let all = Self.candidates()
        #expect(try await found(among: all, required: "large").model == "good")
        #expect(try await found(among: all, required: "small").model == "plain")
        #expect(try await found(among: all, required: .twoPass).id == .twoPass)
        #expect(try await found(among: all, folder: "/models/other").id == "large")
        #expect(try await found(among: Self.candidates(quick: [])).id == "large")
        #expect(try await found(among: Self.candidates(thorough: [])).id == "small")
        #expect(try await found(among: Self.candidates(hasLibrary: false)).id == "small")
        let broken = EngineCandidate.Model(name: "broken", locales: ["en-US"]) { () throws(DictationError) in
            throw DictationError(.fileUnreadable, "It is broken.")
        }
        #expect(try await found(among: Self.candidates(thorough: [broken, Self.good])).model == "good + plain")
        #expect(try await found(among: Self.candidates(quick: [broken])).id == "large")
    }

    @Test func whatTheTwoEnginesNeedIsARemedy() async throws {
        let inventory = ScriptedAssetInventory(
            [("big", "large"), ("little", "small"), ("other", "third")].map { id, engine in
                ScriptedAssetInventory.Asset(ModelAsset(id: id, engine: engine, locales: ["en-US"], name: id))
            })
        var finder = EngineFinder(
            options: .liveDictation("en-US"), candidates: Self.candidates(thorough: [], quick: []),
            inventory: inventory)
        finder.requiredEngine = .twoPass
        guard case .missing(let missing) = await finder.search() else {
            Issue.record("An engine without models was found.")
            return
        }
        #expect(missing.isModelMissing && missing.error.code == .modelNotInstalled)
        #expect(missing.remedies.map(\.description).map { $0.contains("“big”") } == [true, false])
        #expect(missing.remedies.count == 2)
        finder.candidates = Self.candidates(hasLibrary: false)
        guard case .missing(let library) = await finder.search() else {
            Issue.record("An engine without its library was found.")
            return
        }
        #expect(library.error.code == .libraryNotInstalled)
        #expect(library.remedies.contains(.installLibrary("speech", engine: "large", advice: "Install it.")))
    }
}
