#if ModelCatalog
import DictationCore
import DictationSystem
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationEngines
@testable import DictationModels

/// Models that were downloaded and installed are found by their engines and understand speech.
@Suite(.serialized) struct CatalogEngineTests {
    /// Serves a folder's files and installs them as a model of an engine.
    private static func install(
        _ source: String, for engine: EngineID, locales: [SpeechLocale] = ["en-US"], into folder: TemporaryFolder
    ) async throws -> CatalogAssetInventory {
        let files = try FileManager.default.subpathsOfDirectory(atPath: source).filter {
            byteCount(source + "/" + $0) != nil
        }
        let server = try MisbehavingServer { request in
            let path = source + request.path
            return FileManager.default.contents(atPath: path).map { .file(Array($0), for: request) } ?? .status(404)
        }
        defer { server.stop() }
        let model = CatalogModel(
            id: "a-model", engine: engine, locales: locales, name: "A model",
            downloads: files.map { .file([server.address("/" + $0)], as: $0) })
        let inventory = CatalogAssetInventory(
            store: folder.store, catalogs: [ModelCatalog(name: "Test", models: [model])])
        let request = try await inventory.installation(of: "a-model", allowingUnpinned: true)
        try await #require(request).install()
        return inventory
    }

    private static func text(_ engine: any SpeechEngine, _ buffers: [AudioBuffer]) async throws -> String {
        let session = try await engine.makeSession(.fileTranscription())
        try session.start(AudioInput(buffers))
        var text: [String] = []
        for try await case .final(let result) in session.results {
            text.append(result.text)
        }
        return text.joined(separator: " ").lowercased()
    }

    private static func buffers(_ samples: [Int16]) -> [AudioBuffer] {
        stride(from: 0, to: samples.count, by: 1_600).map { first in
            AudioBuffer(
                Array(samples[first..<min(samples.count, first + 1_600)]),
                start: AudioFormat.speech.duration(ofFrames: Int64(first)))
        }
    }

    /// The archives of most models have an unknown size.
    @Test(arguments: ["de-DE", "fr-FR"] as [SpeechLocale]) func theSizeOfALargeModelIsEstimated(locale: SpeechLocale)
        async throws
    {
        let inventory = CatalogAssetInventory(store: try TemporaryFolder().store, catalogs: [.builtIn])
        let finder = EngineFinder(
            options: .liveDictation(locale), candidates: BuiltInEngines.candidates(), inventory: inventory)
        let setup = try await finder.setup(on: EngineFinder.Machine())
        func models(_ setup: EngineFinder.Setup) -> [String] {
            setup.missing.filter { $0.asset.kind == .model }.map(\.asset.name)
        }
        #expect(models(setup) == ["Parakeet v3, 25 languages of Europe"])
        #expect(setup.downloadByteCount == nil)
        #expect((670_000_000..<720_000_000).contains(try #require(setup.estimatedDownloadByteCount)))
        let smaller = setup.smaller.flatMap(models)
        #expect(smaller == (locale == "de-DE" ? ["German, Kroko"] : []))
    }

    #if PocketSphinx
    /// What is found without a network and cannot be downloaded: the user's own and the system's.
    @Test(arguments: ["a-model", "pocketsphinx-en-us-debian"]) func whatIsThereConforms(_ id: ModelAsset.ID)
        async throws
    {
        let folder = try TemporaryFolder()
        let source = "/usr/share/pocketsphinx/model/en-us"
        try #require(
            isThere(source), "Run Scripts/install-dependencies; it installs pocketsphinx-en-us.")
        if id == "a-model" { _ = try await Self.install(source, for: .pocketSphinx, into: folder) }
        let store = folder.store
        let inventory = CatalogAssetInventory(
            store: store, catalogs: id == "a-model" ? [] : [.builtIn])
        let damage: @Sendable (ModelAsset.ID) async -> Void = { id in
            try? Data([1]).write(to: URL(fileURLWithPath: "\(store.folder)/\(id)/en-us/mdef"))
        }
        let report = await expectConformance(
            of: InventoryConformance(
                inventory, asset: id, installs: false, damage: id == "a-model" ? damage : nil, evict: {},
                setOffline: { _ in }))
        var promises: Set<InventoryConformance.Clause> = [
            .assetsAreUnique, .unknownIsUnsupported, .unknownThrows, .statusIsTruthful, .requestsAreTruthful,
            .verifyAcceptsSound, .reservingIsRemembered, .reservedIsNotEvicted, .worksOffline, .callsComeBack,
        ]
        if id == "a-model" { promises.insert(.verifyFindsDamage) }
        #expect(try #require(report).unchecked.keys.allSatisfy { !promises.contains($0) })
    }

    @Test func aModelOfPocketSphinxServesEachOfItsLocales() async throws {
        let folder = try TemporaryFolder()
        let source = "/usr/share/pocketsphinx/model/en-us"
        _ = try await Self.install(source, for: .pocketSphinx, locales: ["en-US", "en-GB"], into: folder)
        for locale in ["en-US", "en-GB"] as [SpeechLocale] {
            var finder = EngineFinder(locale: locale, store: folder.store)
            finder.requiredEngine = .pocketSphinx
            guard case .found(let found) = await finder.search() else {
                Issue.record("no engine for \(locale)")
                continue
            }
            #expect(found.model == "a-model")
            try await found.engine.prepare(finder.options) { _ in }
        }
        #expect(PocketSphinxModel.installed(in: folder.store).map(\.locale) == ["en-US", "en-GB"])
    }

    /// Text from a worse engine needs a reason, and so does no text.
    @Test func aModelWhoseFilesChangedIsNamed() async throws {
        let folder = try TemporaryFolder()
        let source = "/usr/share/pocketsphinx/model/en-us"
        _ = try await Self.install(source, for: .pocketSphinx, into: folder)
        try Data().write(to: URL(filePath: folder.store.folder + "/a-model/en-us/mdef"))
        var finder = EngineFinder(locale: "en-US", store: folder.store)
        finder.requiredEngine = .pocketSphinx
        // Debian's package has the same model.
        guard case .found(let found) = await finder.search() else {
            Issue.record("Debian's model was not found.")
            return
        }
        #expect(found.failures.map(\.model) == ["a-model"])
        #expect(found.failures.first?.error.code == .modelInvalid)

        var alone = EngineCandidate(.pocketSphinx, models: [])
        alone.damages = { _ in found.failures }
        finder.candidates = [alone]
        let error = await error { _ = try await finder.engine() }
        #expect(error?.code == .modelInvalid && error?.message.contains("a-model") == true)
    }

    @Test func aModelThatPocketSphinxCannotReadIsNotInstalled() async throws {
        let folder = try TemporaryFolder()
        let source = try TemporaryFolder()
        _ = try source.write([1, 2, 3], to: "mdef")
        let thrown = await error { _ = try await Self.install(source.path, for: .pocketSphinx, into: folder) }
        #expect(thrown?.code == .modelInvalid)
        #expect(PocketSphinxModel.installed(in: folder.store).isEmpty)
        #expect(!isThere(folder.store.folder + "/a-model"))
    }
    #endif

    /// Its files look right, and the C library ends the process that loads them.
    @Test func aModelThatSherpaCannotDecodeWithIsNotInstalled() async throws {
        let folder = try TemporaryFolder()
        let source = try TemporaryFolder()
        let models = try SherpaFixtures.models()
        let whole = try SherpaFixtures.modelFolder()
        for name in names(in: whole) {
            let damaged = models.appending(path: "damaged/\(name)").path
            let from = FileManager.default.fileExists(atPath: damaged) ? damaged : whole + "/" + name
            try Data(contentsOf: URL(filePath: from)).write(to: URL(filePath: source.file(name)))
        }
        _ = try SherpaOnnxEngine.Model(folder: source.path)
        let thrown = await error { _ = try await Self.install(source.path, for: .sherpaOnnx, into: folder) }
        #expect(thrown?.code == .modelInvalid)
        #expect(!isThere(folder.store.folder + "/a-model"))
    }

    @Test func aModelOfSherpaIsInstalledAndRecognisesSpeech() async throws {
        let folder = try TemporaryFolder()
        _ = try await Self.install(try SherpaFixtures.modelFolder(), for: .sherpaOnnx, into: folder)
        let engine = try SherpaOnnxEngine(locale: "en-US", in: folder.store)
        #expect(engine.model.folder == folder.store.folder + "/a-model")
        let audio = Self.buffers(try SherpaFixtures.samples("jfk"))
        let text = try await Self.text(engine, audio)
        #expect(!text.isEmpty)
        #expect(try await text == Self.text(SherpaFixtures.engine(), audio))
        let thrown = await error { _ = try SherpaOnnxEngine(locale: "de-DE", in: folder.store) }
        #expect(thrown?.code == .unsupportedLocale)
    }
}

extension TemporaryFolder {
    fileprivate var store: ModelStore { ModelStore(folder: file("models")) }
}

extension CatalogEngineTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        @Test func aModelOfPocketSphinxIsInstalledAndRecognisesSpeech() async throws {
            let folder = try TemporaryFolder()
            let source = "/usr/share/pocketsphinx/model/en-us"
            try #require(
                isThere(source), "Run Scripts/install-dependencies; it installs pocketsphinx-en-us.")
            let inventory = try await CatalogEngineTests.install(source, for: .pocketSphinx, into: folder)
            try await inventory.verify("a-model")
            let models = PocketSphinxModel.installed(in: folder.store)
            #expect(models.map(\.locale) == ["en-US"])
            #expect(models.first?.acousticModel == folder.store.folder + "/a-model/en-us")
            let before = folder.store.lastUse(of: "a-model")
            let samples = try Speech.goForward.samples()
            let text = try await CatalogEngineTests.text(
                PocketSphinxEngine(models: models), CatalogEngineTests.buffers(samples))
            #expect(text == Speech.goForward.text)
            // What is used last is evicted last.
            #expect(folder.store.lastUse(of: "a-model") > before)
        }
    }
}
#endif
