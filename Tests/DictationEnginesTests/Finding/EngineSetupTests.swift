import DictationCore
import DictationEngines
import DictationModels
import TestSupport
import Testing

@Suite struct EngineSetupTests {
    private static func model(_ name: String, _ locales: [SpeechLocale] = ["en-US"]) -> EngineCandidate.Model {
        EngineCandidate.Model(name: name, locales: locales) { ScriptedEngine(name: name, locales: locales) }
    }

    private static func broken(_ name: String) -> EngineCandidate.Model {
        EngineCandidate.Model(name: name, locales: ["en-US"]) { () throws(DictationError) in
            throw DictationError(.modelInvalid, "It is damaged.", recovery: "Install it again.")
        }
    }

    private static func asset(
        _ id: String, _ engine: EngineID, _ locales: [SpeechLocale] = ["en-US"], megabytes: Int64? = 40,
        isPinned: Bool = true, isInstalled: Bool = false, package: String? = nil, kind: ModelAsset.Kind? = nil
    ) -> ScriptedAssetInventory.Asset {
        ScriptedAssetInventory.Asset(
            ModelAsset(
                id: id, engine: engine, locales: locales, name: id, byteCount: megabytes.map { $0 * 1_000_000 },
                isPinned: isPinned, kind: kind ?? (locales.isEmpty ? .library : .model)),
            isInstalled: isInstalled, package: package)
    }

    /// An engine that needs a library.
    private static func candidate(
        _ id: EngineID, library: ModelAsset.ID? = "speech-library",
        models: [EngineCandidate.Model] = [], works: Bool = false
    ) -> EngineCandidate {
        let library = EngineCandidate.Library(name: "speech", asset: library) { () throws(DictationError) in
            if !works {
                throw DictationError(
                    .libraryNotInstalled, "The library speech is not installed.", recovery: "Install it.")
            }
        }
        return EngineCandidate(id, library: library, models: { models }) { folder, _ throws(DictationError) in
            throw DictationError(.modelInvalid, "There is no model in \(folder).", recovery: "Use another.")
        }
    }

    private static func finder(
        _ candidates: [EngineCandidate], _ inventory: ScriptedAssetInventory, _ locale: SpeechLocale = "en-US"
    ) -> EngineFinder {
        EngineFinder(options: .liveDictation(locale), candidates: candidates, inventory: inventory)
    }

    private static let large = EngineFinder.Machine(memoryByteCount: 8 << 30, freeByteCount: 8 << 30)

    @Test func theLibraryComesBeforeTheModelOfTheBestEngine() async throws {
        let inventory = ScriptedAssetInventory([
            Self.asset("small", "good"), Self.asset("large", "best"),
            Self.asset("speech-library", "best", [], megabytes: 10), Self.asset("other-library", "best", []),
        ])
        let candidates = [
            EngineCandidate("lost", missingTrait: "Lost"), Self.candidate("best"),
            EngineCandidate("good", models: [Self.model("small")]),
        ]
        let setup = try await Self.finder(candidates, inventory).setup(on: Self.large)
        #expect(setup.engine == "best" && setup.locale == "en-US" && setup.model == nil)
        #expect(setup.missing.map(\.id) == ["speech-library", "large"])
        #expect(setup.downloadByteCount == 50_000_000 && setup.installedByteCount == 50_000_000)
        #expect(setup.unpinned.isEmpty && setup.packages.isEmpty && setup.failures.isEmpty && !setup.isComplete)
        #expect(setup.missing.allSatisfy { $0.download.sources == ["script"] })

        for part in setup.missing { try await inventory.installation(of: part.id)?.install() }
        let working = Self.candidate("best", models: [Self.model("large")], works: true)
        let done = try await Self.finder([working], inventory).setup(on: Self.large)
        #expect(done.isComplete && done.model == "large" && done.parts.map(\.id) == ["speech-library", "large"])
        #expect(done.downloadByteCount == 0 && done.shortages(on: EngineFinder.Machine(memoryByteCount: 1)).isEmpty)
    }

    /// Detectors come last, because the engine works without them.
    @Test func detectorsAreAPartOfTheSetupOfTheirEngine() async throws {
        let inventory = ScriptedAssetInventory([
            Self.asset("large", "best"), Self.asset("ears", "best", [], kind: .detectors),
            Self.asset("other-ears", "other", [], kind: .detectors), Self.asset("speech-library", "best", []),
        ])
        let setup = try await Self.finder([Self.candidate("best")], inventory).setup(on: Self.large)
        #expect(setup.missing.map(\.id) == ["speech-library", "large", "ears"])
        // They are missing from an engine that works already, and installed once.
        let working = Self.candidate("best", models: [Self.model("large")], works: true)
        for id in ["speech-library", "large"] { try await inventory.installation(of: id)?.install() }
        #expect(try await Self.finder([working], inventory).setup(on: Self.large).missing.map(\.id) == ["ears"])
        try await inventory.installation(of: "ears")?.install()
        #expect(try await Self.finder([working], inventory).setup(on: Self.large).isComplete)
        // Nothing is asked for where no inventory has them.
        let without = ScriptedAssetInventory([Self.asset("large", "best", isInstalled: true)])
        #expect(try await Self.finder([working], without).setup(on: Self.large).isComplete)
    }

    @Test func whatIsInstalledIsNotInstalledAgain() async throws {
        let inventory = ScriptedAssetInventory([
            Self.asset("first", "best"), Self.asset("mine", "best", isInstalled: true),
            Self.asset("speech-library", "best", []),
        ])
        let lacksLibrary = Self.candidate("best", models: [Self.model("mine")])
        let library = try await Self.finder([lacksLibrary], inventory).setup(on: Self.large)
        #expect(library.missing.map(\.id) == ["speech-library"] && library.parts.map(\.id).last == "mine")
        // A library that was not installed from the inventory is no part.
        let lacksModel = Self.candidate("best", works: true)
        let model = try await Self.finder([lacksModel], inventory).setup(on: Self.large)
        #expect(model.parts.map(\.id) == ["first"])
    }

    @Test(arguments: [true, false], [true, false])
    func aDamagedPartIsRepairedBeforeAnotherModelIsOffered(isLibrary: Bool, isNoticed: Bool) async throws {
        let inventory = ScriptedAssetInventory([
            Self.asset("mine", "best", isInstalled: true), Self.asset("larger", "best"),
            Self.asset("speech-library", "best", [], isInstalled: true),
        ])
        let damaged = isLibrary ? "speech-library" : "mine"
        inventory.damage(damaged, isNoticed: isNoticed)
        let models = isLibrary ? [Self.model("mine")] : [Self.broken("mine")]
        let finder = Self.finder([Self.candidate("best", models: models, works: !isLibrary)], inventory)
        let setup = try await finder.setup(on: Self.large)
        #expect(setup.missing.map(\.id) == [damaged] && setup.parts.map(\.id) == ["speech-library", "mine"])
        for part in setup.missing { try await inventory.installation(of: part.id)?.install() }
        #expect(await inventory.status(of: damaged) == .installed)
    }

    /// Only the hashes tell, because the engine has not loaded the files yet.
    @Test(arguments: ["speech-library", "mine"]) func damageThatNothingElseNoticesIsRepaired(part: String) async throws
    {
        let inventory = ScriptedAssetInventory([
            Self.asset("mine", "best", isInstalled: true), Self.asset("speech-library", "best", [], isInstalled: true),
        ])
        let finder = Self.finder([Self.candidate("best", models: [Self.model("mine")], works: true)], inventory)
        #expect(try await finder.setup(on: Self.large).isComplete)
        inventory.damage(part, isNoticed: false)
        #expect(try await finder.setup(on: Self.large).missing.map(\.id) == [part])
    }

    /// Installing it again would not help.
    @Test func aWholeModelThatDoesNotWorkIsPassedOverWithItsError() async throws {
        let inventory = ScriptedAssetInventory([
            Self.asset("mine", "best", isInstalled: true), Self.asset("small", "good"),
        ])
        let candidates = [
            EngineCandidate("best", models: [Self.broken("mine")]), EngineCandidate("good", models: []),
        ]
        let setup = try await Self.finder(candidates, inventory).setup(on: Self.large)
        #expect(setup.engine == "good" && setup.missing.map(\.id) == ["small"])
        #expect(setup.failures.map(\.model) == ["mine"] && setup.failures.map(\.error.code) == [.modelInvalid])
    }

    @Test func theEngineIsTheOneThatWillBeUsed() async throws {
        let inventory = ScriptedAssetInventory([Self.asset("large", "thorough")])
        let (quick, thorough) = (
            EngineCandidate("quick", models: [Self.model("small")]), EngineCandidate("thorough", models: [])
        )
        let both = EngineCandidate.twoPass(thorough: [thorough], quick: [quick])
        let setup = try await Self.finder([both, thorough, quick], inventory).setup(on: Self.large)
        #expect(setup.engine == .twoPass && setup.missing.map(\.id) == ["large"])
        let alone = EngineCandidate.twoPass(thorough: [thorough], quick: [])
        #expect(try await Self.finder([alone, thorough], inventory).setup(on: Self.large).engine == "thorough")
    }

    @Test func aJoinedEngineHasThePartsOfBoth() async throws {
        let inventory = ScriptedAssetInventory([
            Self.asset("large", "best", isInstalled: true), Self.asset("small", "quick", isInstalled: true),
            Self.asset("speech-library", "best", [], isInstalled: true),
            Self.asset("other", "quick", isInstalled: true),
        ])
        let both = EngineCandidate.twoPass(
            thorough: [Self.candidate("best", models: [Self.model("large")], works: true)],
            quick: [EngineCandidate("quick", models: [Self.model("small")])])
        let setup = try await Self.finder([both], inventory).setup(on: Self.large)
        #expect(setup.isComplete && setup.parts.map(\.id).sorted() == ["large", "small", "speech-library"])
        inventory.damage("small", isNoticed: false)
        #expect(try await Self.finder([both], inventory).setup(on: Self.large).missing.map(\.id) == ["small"])
    }

    /// The inventory's library would not be used, so the next engine is the best.
    @Test func anEngineWhoseLibraryCannotBeInstalledIsPassedOver() async throws {
        let inventory = ScriptedAssetInventory([
            Self.asset("large", "best"), Self.asset("larger", "best"), Self.asset("small", "good"),
            Self.asset("speech-library", "best", []),
        ])
        let candidates = [
            Self.candidate("best", library: nil), EngineCandidate("good", models: []),
        ]
        var finder = Self.finder(candidates, inventory)
        let setup = try await finder.setup(on: Self.large)
        #expect(setup.engine == "good" && setup.missing.map(\.id) == ["small"])
        #expect(setup.failures.map(\.engine) == ["best"] && setup.failures.map(\.model) == [nil])
        #expect(setup.failures.map(\.error.code) == [.libraryNotInstalled])
        finder.requiredEngine = "best"
        #expect(await error { _ = try await finder.setup(on: Self.large) }?.code == .libraryNotInstalled)
    }

    @Test(
        arguments: [
            (8_000, 8_000, "large", []), (300, 8_000, "small", []),
            (150, 8_000, "small", [.memory]), (8_000, 100, "large", [.disk]), (150, 30, "small", [.memory, .disk]),
        ] as [(Int64, Int64, String, [EngineFinder.Setup.Shortage.Kind])])
    func aModelThatFitsTheMachineIsPreferred(
        memory: Int64, free: Int64, model: String, shortages: [EngineFinder.Setup.Shortage.Kind]
    ) async throws {
        let inventory = ScriptedAssetInventory([
            Self.asset("large", "best", megabytes: 600), Self.asset("small", "best", megabytes: 40),
            Self.asset("middle", "good", megabytes: 90),
        ])
        let machine = EngineFinder.Machine(memoryByteCount: memory * 1_000_000, freeByteCount: free * 1_000_000)
        let candidates = [EngineCandidate("best", models: []), EngineCandidate("good", models: [])]
        let setup = try await Self.finder(candidates, inventory).setup(on: machine)
        #expect(setup.missing.map(\.id) == [model])
        let found = setup.shortages(on: machine)
        #expect(found.map(\.kind) == shortages)
        #expect(found.allSatisfy { $0.needed > $0.available && $0.description.contains(" MB") })
        // The user learns why a better model was not chosen.
        #expect(setup.failures.contains { $0.model == "large" } == (model != "large"))
    }

    @Test func unknownSizesAreNoShortage() async throws {
        let inventory = ScriptedAssetInventory([Self.asset("mystery", "best", megabytes: nil)])
        let finder = Self.finder([EngineCandidate("best", models: [])], inventory)
        let setup = try await finder.setup(on: EngineFinder.Machine(memoryByteCount: 1, freeByteCount: 1))
        #expect(setup.downloadByteCount == nil && setup.memoryByteCount == nil)
        #expect(setup.shortages(on: EngineFinder.Machine(memoryByteCount: 1, freeByteCount: 1)).isEmpty)
    }

    @Test func modelsOfHalfTheSizeAreOffered() async throws {
        let inventory = ScriptedAssetInventory([
            Self.asset("large", "best", megabytes: 600), Self.asset("half", "best", megabytes: 300),
            Self.asset("other", "good", megabytes: 400), Self.asset("mystery", "good", megabytes: nil),
            Self.asset("small", "good", megabytes: 40), Self.asset("foreign", "good", ["fr-FR"], megabytes: 40),
            Self.asset("speech-library", "best", [], megabytes: 10), Self.asset("lost", "lost", megabytes: 1),
        ])
        let candidates = [
            EngineCandidate("lost", missingTrait: "Lost"), Self.candidate("best"), EngineCandidate("good", models: []),
        ]
        let setup = try await Self.finder(candidates, inventory).setup(on: Self.large)
        #expect(setup.missing.map(\.id) == ["speech-library", "large"])
        #expect(setup.smaller.map { $0.missing.map(\.id) } == [["speech-library", "half"], ["small"]])
        #expect(
            setup.smaller.map(\.engine) == ["best", "good"]
                && setup.smaller.map(\.downloadByteCount) == [310_000_000, 40_000_000])
        for part in setup.missing { try await inventory.installation(of: part.id)?.install() }
        let working = Self.candidate("best", models: [Self.model("large")], works: true)
        #expect(try await Self.finder([working] + candidates, inventory).setup(on: Self.large).smaller.isEmpty)
    }

    @Test func aDownloadOfUnknownSizeIsEstimatedByItsModel() {
        let model = ModelAsset(id: "a", engine: "b", locales: ["en-US"], name: "A", byteCount: 600, isPinned: true)
        let library = ModelAsset(id: "c", engine: "b", locales: [], name: "C", isPinned: true, kind: .library)
        func setup(_ parts: EngineFinder.Setup.Part...) -> EngineFinder.Setup {
            EngineFinder.Setup(locale: "en-US", engine: "b", parts: parts)
        }
        let known = EngineFinder.Setup.Part(
            library, download: ModelAsset.Download(byteCount: 10, completedByteCount: 4))
        let both = setup(known, EngineFinder.Setup.Part(model))
        #expect(both.downloadByteCount == nil && both.estimatedDownloadByteCount == 606)
        #expect(setup(known, EngineFinder.Setup.Part(library)).estimatedDownloadByteCount == nil)
    }

    @Test func knownHashesComeFirstAndConsentAndPackagesAreNamed() async throws {
        let inventory = ScriptedAssetInventory([
            Self.asset("loose", "best", ["en-US", "de-DE"], isPinned: false),
            Self.asset("pinned", "best", package: "python3-pip"),
        ])
        let candidates = [EngineCandidate("best", models: [])]
        let english = try await Self.finder(candidates, inventory).setup(on: Self.large)
        #expect(english.missing.map(\.id) == ["pinned"] && english.unpinned.isEmpty)
        #expect(english.packages == ["python3-pip"])
        let german = try await Self.finder(candidates, inventory, "de-DE").setup(on: Self.large)
        #expect(german.unpinned.map(\.id) == ["loose"] && german.unpinned[0].download.trust != nil)
    }

    @Test func anInterruptedDownloadCountsOnlyItsRest() async throws {
        let failure = DictationError(.installationFailed, "The line is cut.", recovery: "Try again.")
        let inventory = ScriptedAssetInventory([
            ScriptedAssetInventory.Asset(
                Self.asset("large", "best").asset, faults: [.failure(failure, afterBytes: 15_000_000)])
        ])
        let finder = Self.finder([EngineCandidate("best", models: [])], inventory)
        let setup = try await finder.setup(on: Self.large)
        #expect(setup.downloadByteCount == 40_000_000)
        #expect(await error { try await inventory.installation(of: "large")?.install() } == failure)
        #expect(try await finder.setup(on: Self.large).downloadByteCount == 25_000_000)
    }

    @Test func aLocaleWithoutModelsNamesThoseThatHaveOne() async throws {
        let inventory = ScriptedAssetInventory([
            Self.asset("foreign", "best", ["fr-FR"]), Self.asset("british", "best", ["en-GB"]),
            Self.asset("unusable", "lost", ["en-CA"]),
        ])
        let candidates = [
            EngineCandidate("lost", missingTrait: "Lost"), EngineCandidate("best", models: [Self.model("small")]),
        ]
        var finder = Self.finder(candidates, inventory, "en-AU")
        let thrown = await error { _ = try await finder.setup(on: Self.large) }
        #expect(thrown?.code == .unsupportedLocale)
        #expect(thrown?.recovery?.contains("en-GB, en-US, fr-FR.") == true)
        finder.requiredEngine = "lost"
        #expect(await error { _ = try await finder.setup(on: Self.large) }?.code == .notBuilt)
        finder.inventory = nil
        finder.requiredEngine = nil
        #expect(await error { _ = try await finder.setup(on: Self.large) }?.recovery?.contains("en-US") == true)
    }

    /// What this machine has, whichever machine it is.
    @Test func thisMachineHasMemoryAndADisk() throws {
        let folder = try TemporaryFolder()
        let machine = EngineFinder.Machine.current(store: ModelStore(folder: folder.path + "/not/there/yet"))
        #expect(try #require(machine.memoryByteCount) > 1 << 20)
        #expect(machine.freeByteCount != nil)
        #expect(EngineFinder.Machine.current(store: ModelStore(folder: "")).freeByteCount == nil)
    }
}
