import DictationCore
import DictationEngines
import DictationModels
import DictationTesting
import Testing

/// A finder among candidates that throw, lie, or are not there.
@Suite struct HostileFinderTests {
    private typealias Feature = EngineCapabilities.Feature

    private static func model(
        _ name: String, _ locales: [SpeechLocale] = ["en-US"],
        _ features: Set<Feature> = [.dictation, .volatileResults]
    ) -> EngineCandidate.Model {
        EngineCandidate.Model(name: name, locales: locales) {
            ScriptedEngine(name: name, locales: locales, capabilities: EngineCapabilities(features))
        }
    }

    private static func broken(_ name: String, _ code: DictationError.Code) -> EngineCandidate.Model {
        EngineCandidate.Model(name: name, locales: ["en-US"]) { () throws(DictationError) in
            throw DictationError(code, "\(name) is broken.", recovery: "Mend it.")
        }
    }

    /// An inventory that can't even list its models.
    private struct BrokenInventory: AssetInventory {
        private let broken = DictationError(.fileUnreadable, "The disk is gone.")
        func assets() async throws(DictationError) -> [ModelAsset] { throw broken }
        func status(of asset: ModelAsset.ID) async -> ModelAsset.Status { .unsupported }
        func installation(of asset: ModelAsset.ID) async throws(DictationError) -> (any AssetInstallation)? {
            throw broken
        }
        func verify(_ asset: ModelAsset.ID) async throws(DictationError) { throw broken }
        func remove(_ asset: ModelAsset.ID) async throws(DictationError) { throw broken }
    }

    private func missing(_ finder: EngineFinder) async throws -> EngineFinder.Missing {
        guard case .missing(let missing) = await finder.search() else { throw DictationError(.invalidInput, "Found.") }
        #expect(!missing.error.message.isEmpty && missing.error.recovery?.isEmpty == false, "\(missing.error)")
        await #expect(throws: missing.error) { _ = try await finder.engine() }
        return missing
    }

    @Test func withoutCandidatesTheErrorStillHelps() async throws {
        var finder = EngineFinder(options: .liveDictation("en-US"), candidates: [])
        #expect(try await missing(finder).failures.isEmpty)
        finder.requiredEngine = "one"
        #expect(try await missing(finder).error.message.contains("one"))
        finder.modelFolder = "/nowhere"
        #expect(try await missing(finder).remedies.isEmpty)
        finder.requiredEngine = nil
        #expect(try await missing(finder).modelFolder == "/nowhere")
    }

    @Test(arguments: [
        DictationError.Code.fileUnreadable, .modelInvalid, .unsupportedLocale, .notBuilt, .engineFailed, .cancelled,
        .init(rawValue: "our own"), .init(rawValue: ""),
    ])
    func candidatesThatThrowAreAllNamed(code: DictationError.Code) async throws {
        let candidates = ["one", "two"].map {
            EngineCandidate(EngineID(rawValue: $0), models: [Self.broken("a", code), Self.broken("b", code)])
        }
        let finder = EngineFinder(options: .liveDictation("en-US"), candidates: candidates)
        let missing = try await missing(finder)
        #expect(missing.failures.map(\.engine) == ["one", "one", "two", "two"])
        #expect(missing.failures.map(\.model) == ["a", "b", "a", "b"])
    }

    @Test func aModelInAFolderThatCannotBeOpenedIsTheError() async throws {
        let candidate = EngineCandidate("one", models: { [Self.model("installed")] }) { _ in
            true
        } model: { folder, locale throws(DictationError) in
            throw DictationError(.modelInvalid, "\(folder) has no model.", recovery: "Choose another.")
        }
        for folder in ["", "/", "relative", "/a\u{1B}[2J\nb", String(repeating: "x", count: 5_000)] {
            var finder = EngineFinder(options: .liveDictation("en-US"), candidates: [candidate])
            finder.modelFolder = folder
            let missing = try await missing(finder)
            #expect(missing.error.code == .modelInvalid && !missing.isModelMissing)
            #expect(missing.error.message.visible == missing.error.message)
        }
    }

    @Test(arguments: ["en_US", "EN-us", "en-us", "eN_uS"]) func aLocaleMayBeSpelledOddly(spelling: String) async throws
    {
        let finder = EngineFinder(
            options: .liveDictation(SpeechLocale(spelling)),
            candidates: [EngineCandidate("one", models: [Self.model("m")])])
        #expect(try await finder.engine().name == "m")
    }

    @Test(arguments: ["", " ", "-", "en-", "x", "日本", "\0\n", String(repeating: "en-US-", count: 2_000)])
    func aLocaleThatIsNoneIsRefused(tag: String) async throws {
        let finder = EngineFinder(
            options: .liveDictation(SpeechLocale(tag)), candidates: [EngineCandidate("one", models: [Self.model("m")])],
            inventory: ScriptedAssetInventory([]))
        let missing = try await missing(finder)
        #expect(missing.failures.count == 1 && missing.error.message.visible == missing.error.message)
    }

    @Test func optionsThatNoEngineSupportsAreRefused() async throws {
        let candidates = [EngineCandidate("one", models: [Self.model("m")])]
        let changes: [@Sendable (inout RecognitionOptions) -> Void] = [
            { $0.wordTimes = true }, { $0.wordConfidence = true }, { $0.maximumAlternatives = 3 },
            { $0.maximumAlternatives = -1 }, { $0.contextualStrings = ["a"] },
            { $0.task = .keyphrases([]) }, { $0.task = .grammar(RecognitionTask.Grammar(jsgf: "")) },
        ]
        for change in changes {
            var finder = EngineFinder(options: .liveDictation("en-US"), candidates: candidates)
            change(&finder.options)
            let missing = try await missing(finder)
            #expect([.unsupportedOption, .invalidInput].contains(missing.error.code), "\(missing.error)")
            #expect(!missing.isModelMissing)
        }
    }

    @Test func anEngineThatIsNotBuiltSaysHowToBuildIt() async throws {
        var finder = EngineFinder(
            options: .liveDictation("en-US"),
            candidates: [
                EngineCandidate("lost", missingTrait: "Lost"), EngineCandidate("one", models: [Self.model("m")]),
            ],
            inventory: BrokenInventory())
        #expect(try await finder.engine().name == "m")
        finder.requiredEngine = "lost"
        finder.modelFolder = "/anywhere"
        let missing = try await missing(finder)
        #expect(missing.failures.allSatisfy { $0.engine == "lost" })
        finder.modelFolder = nil
        let built = try await self.missing(finder)
        #expect(built.error.code == .notBuilt && built.remedies == [.enableTrait("Lost", engine: "lost")])
    }

    @Test func anInventoryThatCannotListHidesNoReason() async throws {
        let finder = EngineFinder(
            options: .liveDictation("de-DE"), candidates: [EngineCandidate("one", models: [Self.model("m")])],
            inventory: BrokenInventory())
        let missing = try await missing(finder)
        #expect(missing.failures.map(\.engine) == ["one"])
        #expect(missing.remedies == [.useLocale("en-US")])
    }

    private struct Offer: Sendable {
        var engine: String
        var name: String
        var locales: [SpeechLocale]
        var features: Set<Feature>
        var isBroken: Bool
    }

    /// The first of the candidates with a model that supports all of the options, said once more.
    @Test(arguments: 1...30 as ClosedRange<UInt64>) func theFirstThatSupportsAllIsFound(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let locales: [SpeechLocale] = ["en-US", "de-DE", "fr"]
        let extra: [Feature] = [.wordTimes, .wordConfidence, .alternatives]
        for _ in 0..<40 {
            let offers = (0..<Int.random(in: 0...6, using: &random)).map { number in
                Offer(
                    engine: "e\(number / 2)", name: "m\(number)",
                    locales: locales.filter { _ in Bool.random(using: &random) },
                    features: Set([.dictation, .volatileResults] + extra.filter { _ in Bool.random(using: &random) }),
                    isBroken: Int.random(in: 0..<4, using: &random) == 0)
            }
            var engines: [String] = []
            for offer in offers where !engines.contains(offer.engine) { engines.append(offer.engine) }
            let candidates = engines.map { engine in
                EngineCandidate(
                    EngineID(rawValue: engine),
                    models: offers.filter { $0.engine == engine }.map { offer in
                        EngineCandidate.Model(name: offer.name, locales: offer.locales) { () throws(DictationError) in
                            if offer.isBroken { throw DictationError(.modelInvalid, "It is broken.") }
                            return ScriptedEngine(
                                name: offer.name, locales: offer.locales,
                                capabilities: EngineCapabilities(offer.features))
                        }
                    })
            }
            var options = RecognitionOptions.liveDictation(locales.randomElement(using: &random) ?? "fr")
            options.wordTimes = Bool.random(using: &random)
            options.wordConfidence = Bool.random(using: &random)
            options.maximumAlternatives = Int.random(in: 0...1, using: &random)
            var asked: Set<Feature> = [.dictation, .volatileResults]
            if options.wordTimes { asked.insert(.wordTimes) }
            if options.wordConfidence { asked.insert(.wordConfidence) }
            if options.maximumAlternatives > 0 { asked.insert(.alternatives) }
            let locale = options.locale
            var finder = EngineFinder(options: options, candidates: candidates)
            if Bool.random(using: &random) { finder.requiredEngine = "e1" }
            let required = finder.requiredEngine?.rawValue
            let expected = offers.first { offer in
                !offer.isBroken && offer.locales.contains(locale) && offer.features.isSuperset(of: asked)
                    && (required == nil || required == offer.engine)
            }
            switch await finder.search() {
            case .found(let found):
                #expect(found.model == expected?.name && found.id.rawValue == expected?.engine, "seed \(seed)")
            case .missing(let missing):
                #expect(expected == nil && !missing.error.message.isEmpty, "seed \(seed)")
            }
        }
    }
}
