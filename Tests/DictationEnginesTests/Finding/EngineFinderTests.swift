import DictationCapture
import DictationCore
import DictationEngines
import DictationModels
import DictationTesting
import Testing

@Suite struct EngineFinderTests {
    private static let plain: Set<EngineCapabilities.Feature> = [.dictation, .volatileResults]

    private func model(
        _ name: String, _ locales: [SpeechLocale] = ["en-US"],
        _ features: Set<EngineCapabilities.Feature> = EngineFinderTests.plain
    ) -> EngineCandidate.Model {
        EngineCandidate.Model(name: name, locales: locales) {
            ScriptedEngine(name: name, locales: locales, capabilities: EngineCapabilities(features))
        }
    }

    private func broken(_ name: String, _ code: DictationError.Code) -> EngineCandidate.Model {
        EngineCandidate.Model(name: name, locales: ["en-US"]) { () throws(DictationError) in
            throw DictationError(code, "It is broken.")
        }
    }

    private func found(_ finder: EngineFinder) async throws -> FoundEngine {
        switch await finder.search() {
        case .found(let found): return found
        case .missing(let missing): throw missing.error
        }
    }

    private func missing(_ finder: EngineFinder) async throws -> EngineFinder.Missing {
        guard case .missing(let missing) = await finder.search() else { throw Unexpected() }
        return missing
    }

    private struct Unexpected: Error {}

    @Test func theFirstEngineThatSupportsTheOptionsIsFound() async throws {
        let candidates = [
            EngineCandidate(
                "best", models: [model("plain"), model("rich", ["en-US"], [.dictation, .volatileResults, .wordTimes])]),
            EngineCandidate("good", models: [model("other", ["en-US", "de-DE"])]),
        ]
        var finder = EngineFinder(options: .liveDictation("en-US"), candidates: candidates)
        #expect(try await found(finder).model == "plain")
        finder.options.wordTimes = true
        let rich = try await found(finder)
        #expect(rich.id == "best" && rich.model == "rich" && rich.engine.name == "rich")
        finder.options = .liveDictation("de-DE")
        #expect(try await found(finder).id == "good")
        finder.options = .liveDictation("en-US")
        finder.requiredEngine = "good"
        #expect(try await finder.engine().name == "other")
    }

    /// The caller asked for word times once. Another call without options must not lose them.
    @Test(arguments: [1, 2]) func aRecordingGetsTheOptionsOfTheSearch(workers: Int) async throws {
        let features: Set<EngineCapabilities.Feature> = [.dictation, .volatileResults, .wordTimes]
        let finder = EngineFinder(
            options: .timedTranscription("de-DE"),
            candidates: [EngineCandidate("timed", models: [model("timed", ["de-DE"], features)])])
        try await VirtualTime.run { _ in
            for engine in [try await finder.engine(), try await found(finder)] {
                let recording = ScriptedCapturer([.tone(440, for: .seconds(4))], pacing: .onDemand)
                let transcript = try await engine.transcribe(recording, workers: workers).transcript()
                #expect(transcript.locale == "de-DE")
                #expect(transcript.words.count == 8 && transcript.words.allSatisfy { $0.range != nil })
            }
        }
        #expect(try await found(finder).options == .timedTranscription("de-DE"))
        let live = EngineFinder(
            options: .liveDictation("en-US"), candidates: [EngineCandidate("a", models: [model("a")])])
        #expect(try await live.engine().transcriptionOptions == .fileTranscription("en-US"))
    }

    @Test(
        arguments: [
            ("en", "en-US"), ("de", "de-AT"), ("fr", "fr"), ("it", "it"), ("en-AU", "en-AU"), ("pt", "pt"),
        ] as [(SpeechLocale, SpeechLocale)])
    func aLanguageWithoutARegionGetsThatOfAnInstalledModel(_ wanted: SpeechLocale, _ expected: SpeechLocale) {
        let candidates = [
            EngineCandidate("missing", missingTrait: "Missing"),
            EngineCandidate(
                "best", models: [model("english", ["en-IE", "en-US", "fr-CA"]), model("german", ["de-AT"])]),
            EngineCandidate("good", models: [model("other", ["en-GB", "fr"])]),
        ]
        let finder = EngineFinder(options: .liveDictation(wanted), candidates: candidates)
        #expect(finder.installedLocale() == expected)
    }

    @Test func aBrokenModelDoesNotHideTheNext() async throws {
        let finder = EngineFinder(
            options: .liveDictation("en-US"),
            candidates: [
                EngineCandidate("best", models: [broken("damaged", .fileUnreadable), model("whole")]),
                EngineCandidate("good", models: [model("other")]),
            ])
        #expect(try await found(finder).model == "whole")
    }

    /// What is missing is a value: which model, how large, and whether it takes another build or language.
    @Test func aWorseEngineSaysWhyTheBetterOneIsNotUsed() async throws {
        let good = EngineCandidate("good", models: [model("whole")])
        func failures(_ best: EngineCandidate) async throws -> [DictationError.Code] {
            let found = try await found(EngineFinder(options: .liveDictation("en-US"), candidates: [best, good]))
            #expect(found.id == "good" && found.failures.allSatisfy { $0.engine == "best" })
            return found.failures.map(\.error.code)
        }
        #expect(
            try await failures(EngineCandidate("best", models: [broken("damaged", .modelInvalid)])) == [.modelInvalid])
        let lost = EngineCandidate.Library(name: "speech") { () throws(DictationError) in
            throw DictationError(.libraryInvalid, "It is damaged.")
        }
        let withModel = EngineCandidate("best", library: lost, models: { [model("mine")] }) {
            _, _ throws(DictationError) in throw DictationError(.modelInvalid, "There is none.")
        }
        #expect(try await failures(withModel) == [.libraryInvalid])
        // An engine that is not installed is no surprise.
        #expect(try await failures(EngineCandidate("best", models: [])) == [])
        #expect(try await failures(EngineCandidate("best", models: [model("other", ["de-DE"])])) == [])
        let silent = EngineCandidate("best", models: [model("silent", ["en-US"], [.alignment])])
        #expect(try await failures(silent) == [.unsupportedOption])
    }

    @Test func whatIsMissingSaysHowToGetIt() async throws {
        func asset(_ id: String, _ engine: EngineID, _ locales: [SpeechLocale], isPinned: Bool = true)
            -> ScriptedAssetInventory.Asset
        {
            ScriptedAssetInventory.Asset(
                ModelAsset(
                    id: id, engine: engine, locales: locales, name: id, byteCount: 40_000_000, isPinned: isPinned))
        }
        let inventory = ScriptedAssetInventory([
            asset("loose", "best", ["de-DE"], isPinned: false), asset("small", "good", ["de-DE"]),
            asset("swiss", "best", ["de-CH"]), asset("foreign", "best", ["fr-FR"]), asset("unbuilt", "lost", ["de-DE"]),
        ])
        let candidates = [
            EngineCandidate("lost", missingTrait: "Lost"), EngineCandidate("best", models: [model("english")]),
            EngineCandidate("good", models: [model("austrian", ["de-AT", "en-US"])]),
        ]
        let finder = EngineFinder(options: .liveDictation("de-DE"), candidates: candidates, inventory: inventory)
        let missing = try await missing(finder)
        let named = missing.remedies.map { remedy in
            switch remedy {
            case .install(let asset, let locale, let package): "\(asset.id) for \(locale) \(package ?? "-")"
            case .enableTrait(let trait, let engine): "trait \(trait) for \(engine)"
            case .installLibrary(let library, let engine, _): "library \(library) for \(engine)"
            case .useLocale(let locale): "locale \(locale)"
            }
        }
        #expect(
            named == [
                "small for de-DE -", "loose for de-DE -", "trait Lost for lost", "locale de-AT", "swiss for de-CH -",
                "locale en-US",
            ])
        #expect(missing.isModelMissing)
        #expect(missing.error.code == .modelNotInstalled)
        #expect(missing.error.recovery?.contains("small") == true)
        #expect(missing.failures.map(\.engine) == ["lost", "best", "good"])
        #expect(missing.failures.map(\.error.code) == [.notBuilt, .modelNotInstalled, .modelNotInstalled])

        let installation = try #require(try await inventory.installation(of: "small"))
        #expect(installation.asset.byteCount == 40_000_000)
    }

    private static func asset(_ id: String, _ engine: EngineID, _ locales: [SpeechLocale])
        -> ScriptedAssetInventory.Asset
    {
        ScriptedAssetInventory.Asset(ModelAsset(id: id, engine: engine, locales: locales, name: id))
    }

    /// A trait or a model that does not bring the language is no remedy.
    @Test(
        arguments: [
            ("de-DE", "known", [.useLocale("en-US"), .useLocale("fr-FR")]),
            ("en-GB", "known", [.useLocale("en-US"), .useLocale("fr-FR")]),
            ("en", "known", [.useLocale("en-US"), .useLocale("fr-FR")]),
            (
                "zh-CN", "installed",
                [
                    .enableTrait("Lost", engine: "lost"), .useLocale("en-US"), .useLocale("fr-FR"),
                ]
            ),
            (
                "fr-CA", "known",
                [
                    .useLocale("fr-FR"), .install(asset("swiss", "best", ["fr-CH"]).asset, for: "fr-CH", package: nil),
                    .useLocale("en-US"),
                ]
            ),
        ] as [(SpeechLocale, String, [EngineFinder.Remedy])])
    func onlyWhatHelpsIsARemedy(locale: SpeechLocale, state: String, remedies: [EngineFinder.Remedy]) async throws {
        let candidates = [
            EngineCandidate("slow", missingTrait: "Lost"), EngineCandidate("lost", missingTrait: "Lost"),
            EngineCandidate("lost-too", missingTrait: "Lost"),
            EngineCandidate("best", models: [model("english"), model("french", ["fr-FR"])]),
        ]
        let inventory = ScriptedAssetInventory([
            Self.asset("chinese", "lost", ["zh-CN"]), Self.asset("chinese-too", "lost-too", ["zh-CN"]),
            Self.asset("larger", "best", ["en-US"]), Self.asset("swiss", "best", ["fr-CH"]),
        ])
        let missing = try await missing(
            EngineFinder(options: .liveDictation(locale), candidates: candidates, inventory: inventory))
        #expect(missing.remedies == remedies)
        #expect(missing.isModelMissing && missing.error.message == "No model for \(locale) is \(state).")
        #expect(missing.error.recovery == remedies.first?.description)
        #expect(missing.failures.allSatisfy { $0.error.recovery?.contains("EngineFinder") == false })
    }

    @Test func aModelOfManyLocalesIsOfferedOnce() async throws {
        let inventory = ScriptedAssetInventory([
            Self.asset("european", "best", ["de", "de-AT", "de-CH", "de-DE"]),
            Self.asset("alpine", "best", ["de-AT", "de-CH"]),
        ])
        let missing = try await missing(
            EngineFinder(
                options: .liveDictation("de-DE"), candidates: [EngineCandidate("best", models: [])],
                inventory: inventory))
        let offers = missing.remedies.compactMap { remedy in
            if case .install(let asset, let locale, _) = remedy { "\(asset.id) \(locale)" } else { nil }
        }
        #expect(offers == ["european de-DE", "alpine de-AT"])
    }

    @Test func aNamedEngineOrFolderIsWorthItsTrait() async throws {
        var finder = EngineFinder(
            options: .liveDictation("de-DE"),
            candidates: [EngineCandidate("lost", missingTrait: "Lost"), EngineCandidate("slow", missingTrait: "Lost")],
            inventory: ScriptedAssetInventory([]))
        #expect(try await missing(finder).remedies.isEmpty)
        finder.requiredEngine = "slow"
        #expect(try await missing(finder).remedies == [.enableTrait("Lost", engine: "slow")])
        (finder.requiredEngine, finder.modelFolder) = (nil, "/models/german")
        #expect(try await missing(finder).remedies == [.enableTrait("Lost", engine: "lost")])
    }

    /// Without an inventory, the built-in catalog tells which engines have models for a locale.
    @Test(arguments: [("fr-FR", true), ("eo", false)] as [(SpeechLocale, Bool)])
    func theBuiltInCatalogTellsWhichTraitHelps(locale: SpeechLocale, helps: Bool) async throws {
        let candidates = [
            EngineCandidate(.sherpaOnnx, missingTrait: "Lost"), EngineCandidate("good", models: []),
        ]
        let missing = try await missing(EngineFinder(options: .liveDictation(locale), candidates: candidates))
        #expect(missing.remedies == (helps ? [.enableTrait("Lost", engine: .sherpaOnnx)] : []))
        #expect(missing.error.message == "No model for \(locale) is \(helps ? "installed" : "known").")
        #expect(missing.error.recovery?.contains("another locale") == !helps)
    }

    /// The best offline and the best streaming model for a locale; `nil` where the catalog has none.
    @Test(
        arguments: [
            ("en-US", "nemo-parakeet-tdt-0.6b-v2-int8", "nemotron-speech-streaming-en-0.6b-int8-2026-01-14"),
            ("de-DE", "nemo-parakeet-tdt-0.6b-v3-int8", "streaming-zipformer-de-kroko-2025-08-06"),
            ("de-CH", "nemo-parakeet-tdt-0.6b-v3-int8", "streaming-zipformer-de-kroko-2025-08-06"),
            ("pt-BR", "nemo-parakeet-tdt-0.6b-v3-int8", nil),
            ("zh-CN", "sense-voice-zh-en-ja-ko-yue-int8-2025-09-09", "streaming-zipformer-bilingual-zh-en-2023-02-20"),
            ("ko-KR", "sense-voice-zh-en-ja-ko-yue-int8-2025-09-09", "streaming-zipformer-korean-2024-06-16"),
            ("tr-TR", "whisper-turbo", nil), ("nb-NO", "whisper-turbo", nil), ("eo", nil, nil),
        ] as [(SpeechLocale, String?, String?)])
    func theBuiltInCatalogNamesTheBestModelForALanguageFirst(
        locale: SpeechLocale, offline: String?, streaming: String?
    ) {
        func best(_ engine: EngineID) -> String? {
            ModelCatalog.builtIn.models.first {
                $0.engine == engine && $0.locales.contains(locale) && $0.id != "moonshine-tiny-en"
            }?.id
        }
        #expect(best(.sherpaOnnxOffline) == offline.map { "sherpa-onnx-" + $0 })
        #expect(best(.sherpaOnnx) == streaming.map { "sherpa-onnx-" + $0 })
    }

    @Test(
        arguments: [
            (40_000_000, true, "Install the model “small” for de-DE (40 MB)."),
            (1, true, "Install the model “small” for de-DE (1 MB)."),
            (nil, true, "Install the model “small” for de-DE."),
            (
                nil, false,
                "Install the model “small” for de-DE if you trust its source: its files have no known hashes."
            ),
        ] as [(Int64?, Bool, String)])
    func aRemedyIsASentence(byteCount: Int64?, isPinned: Bool, sentence: String) {
        let asset = ModelAsset(
            id: "small", engine: "best", locales: ["de-DE"], name: "German", byteCount: byteCount, isPinned: isPinned)
        #expect("\(EngineFinder.Remedy.install(asset, for: "de-DE", package: nil))" == sentence)
        #expect(
            "\(EngineFinder.Remedy.install(asset, for: "de-DE", package: "german"))"
                == "Install the package “german” for de-DE, “German”.")
        #expect(
            "\(EngineFinder.Remedy.enableTrait("Lost", engine: "lost"))"
                == "Enable the “Lost” trait of swift-dictation for the engine “lost”, and build again.")
        #expect("\(EngineFinder.Remedy.useLocale("en-US"))" == "Use another locale: en-US.")
    }

    @Test func anInstalledEngineThatCannotDoItSaysMoreThanAMissingOne() async throws {
        var options = RecognitionOptions.liveDictation("en-US")
        options.wordTimes = true
        let candidates = [
            EngineCandidate("lost", missingTrait: "Lost"), EngineCandidate("empty", models: []),
            EngineCandidate("good", models: [model("plain")]),
        ]
        let missing = try await missing(EngineFinder(options: options, candidates: candidates))
        #expect(!missing.isModelMissing)
        #expect(missing.error.code == .unsupportedOption)
    }

    @Test func anEngineThatIsNotBuiltNamesItsTrait() async throws {
        var finder = EngineFinder(
            options: .liveDictation("en-US"),
            candidates: [
                EngineCandidate("lost", missingTrait: "Lost"), EngineCandidate("good", models: [model("plain")]),
            ])
        finder.requiredEngine = "lost"
        let missing = try await missing(finder)
        #expect(missing.error.code == .notBuilt)
        #expect(missing.error.recovery?.contains("“Lost” trait") == true)
        #expect(missing.remedies == [.enableTrait("Lost", engine: "lost")])
        finder.requiredEngine = "unknown"
        let none = try await self.missing(finder)
        #expect(none.failures.isEmpty && none.error.message.contains("“unknown”"))
    }

    private static func lacking(_ id: EngineID, _ models: [EngineCandidate.Model]) -> EngineCandidate {
        let library = EngineCandidate.Library(name: "speech") { () throws(DictationError) in
            throw DictationError(.libraryNotInstalled, "The library speech is not installed.", recovery: "Install it.")
        }
        return EngineCandidate(id, library: library, models: { models }) { folder, _ throws(DictationError) in
            throw DictationError(.modelInvalid, "There is no model in \(folder).")
        }
    }

    @Test func anEngineWithoutItsLibraryIsNotChosen() async throws {
        var finder = EngineFinder(
            options: .liveDictation("en-US"),
            candidates: [Self.lacking("best", [model("large")]), EngineCandidate("good", models: [model("small")])])
        #expect(try await found(finder).model == "small")
        finder.requiredEngine = "best"
        let missing = try await missing(finder)
        #expect(missing.error.code == .libraryNotInstalled && !missing.isModelMissing)
        #expect(missing.failures.map(\.model) == ["large"])
        #expect(missing.remedies == [.installLibrary("speech", engine: "best", advice: "Install it.")])
        #expect(
            missing.remedies.map(\.description) == ["Install the library speech for the engine “best”. Install it."])
    }

    @Test func aLibraryOfSeveralEnginesIsNamedOnce() async throws {
        let finder = EngineFinder(
            options: .liveDictation("en-US"),
            candidates: [Self.lacking("best", [model("large")]), Self.lacking("good", [model("small")])])
        #expect(
            try await missing(finder).remedies == [.installLibrary("speech", engine: "best", advice: "Install it.")])
    }

    /// A model helps at once only if its engine has its library.
    @Test func aMissingLibraryComesBeforeTheModelsThatNeedIt() async throws {
        let inventory = ScriptedAssetInventory([
            Self.asset("large", "best", ["de-DE"]), Self.asset("small", "good", ["de-DE"]),
            Self.asset("french", "best", ["fr-FR"]),
        ])
        let candidates = [Self.lacking("best", []), EngineCandidate("good", models: [])]
        var finder = EngineFinder(options: .liveDictation("de-DE"), candidates: candidates, inventory: inventory)
        let named = try await missing(finder).remedies.map { remedy in
            switch remedy {
            case .install(let asset, _, _): asset.id
            case .installLibrary(let library, _, _): library
            default: "other"
            }
        }
        #expect(named == ["small", "speech", "large"])
        #expect(try await missing(finder).isModelMissing)
        finder.options.locale = "nl-NL"
        #expect(try await missing(finder).remedies.isEmpty)
    }

    @Test func aFolderTakesThePlaceOfInstalledModels() async throws {
        let reader = EngineCandidate("reader", models: { [model("installed")] }) { folder in
            folder.hasSuffix("reader")
        } model: { folder, locale throws(DictationError) in
            guard folder != "/broken/reader" else { throw DictationError(.modelInvalid, "It is broken.") }
            return model(folder, [locale])
        }
        var finder = EngineFinder(
            options: .liveDictation("nl-NL"), candidates: [EngineCandidate("best", models: []), reader])
        finder.modelFolder = "/models/reader"
        #expect(try await found(finder).model == "/models/reader")
        finder.modelFolder = "/broken/reader"
        #expect(try await missing(finder).error.code == .modelInvalid)
        finder.modelFolder = "/models/other"
        let other = try await missing(finder)
        #expect(!other.isModelMissing && other.error.code == .modelInvalid && other.remedies.isEmpty)
        #expect(other.failures.map(\.engine) == ["best"])
    }

    /// The engines of this build, whatever is installed here: an empty store, and a language that no package has.
    @Test func theBuiltInEnginesAreTriedBestFirst() async throws {
        let store = ModelStore(folder: "/nowhere")
        let candidates = BuiltInEngines.candidates(store: store)
        #expect(candidates.map(\.id) == [.twoPass, .sherpaOnnxOffline, .sherpaOnnx, .pocketSphinx])
        let missing = try await missing(EngineFinder(locale: "tlh", store: store))
        #expect(missing.failures.map(\.engine) == candidates.map(\.id))
        for (failure, candidate) in zip(missing.failures, candidates) {
            #expect(failure.error.code == (candidate.missingTrait == nil ? .modelNotInstalled : .notBuilt))
        }
    }

    #if PocketSphinx
    @Test func theModelOfAPackageIsFound() async throws {
        var finder = EngineFinder(locale: "en-US", store: ModelStore(folder: "/nowhere"))
        finder.requiredEngine = .pocketSphinx
        #expect(try await found(finder).model == "en-us")
        finder.modelFolder = "/usr/share/pocketsphinx/model/en-us"
        #expect(try await found(finder).model == "en-us")
        finder.options.locale = "fr-FR"
        let missing = try await missing(finder)
        #expect(
            missing.error.code == .unsupportedLocale && missing.error.message.contains("is for en-US, not for fr-FR"))
    }
    #endif
}
