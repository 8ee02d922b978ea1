#if ModelCatalog
import DictationCore
import DictationSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationModels

@Suite struct CatalogStoreTests {
    private static let archive = Result { try TestArchive.tarGzip.bytes(TestModel.entries) }

    /// A store with the test model in it, and an inventory that has no network.
    private static func installed(
        _ folder: TemporaryFolder, id: String = "test-model", sizeLimit: Int64? = nil
    ) async throws -> CatalogAssetInventory {
        let archive = try archive.get()
        let models = try ["test-model", "second", "third"].map {
            try TestModel.entry(["http://127.0.0.1:1/"], archive: archive, id: $0)
        }
        let inventory = CatalogAssetInventory.quick(folder, models, sizeLimit: sizeLimit)
        try await inventory.importModel(fromFile: try folder.write(archive, to: "archive"), as: id)
        return inventory
    }

    /// Ways that an installed model can come to harm; only some show without hashing.
    enum Harm: String, CaseIterable, Sendable {
        case flippedBit, shortened, deleted, replacedByLink

        func happen(to path: String) throws {
            let file = path + "/weights.onnx"
            var bytes = try #require(FileManager.default.contents(atPath: file))
            switch self {
            case .flippedBit: bytes[1_000] ^= 1
            case .shortened: bytes.removeLast()
            case .deleted, .replacedByLink: try FileManager.default.removeItem(atPath: file)
            }
            switch self {
            case .flippedBit, .shortened: try bytes.write(to: URL(fileURLWithPath: file))
            case .replacedByLink:
                try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/etc/passwd")
            case .deleted: break
            }
        }
    }

    @Test func aFileThatIsRightAgainIsNoDamage() async throws {
        let folder = try TemporaryFolder()
        let inventory = try await Self.installed(folder)
        let path = try #require(try await inventory.installedModel("test-model")).folder
        let copy = folder.file("copy")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try Harm.flippedBit.happen(to: path)
        #expect(await error { try await inventory.verify("test-model") }?.code == .modelInvalid)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: copy, toPath: path)
        #expect(await inventory.status(of: "test-model") == .damaged)
        try await inventory.verify("test-model")
        #expect(await inventory.status(of: "test-model") == .installed)
    }

    @Test(arguments: Harm.allCases) func damageIsFoundAndMended(_ harm: Harm) async throws {
        let folder = try TemporaryFolder()
        let inventory = try await Self.installed(folder)
        try await inventory.verify("test-model")
        let path = try #require(try await inventory.installedModel("test-model")).folder
        try harm.happen(to: path)
        if harm != .flippedBit { #expect(await inventory.status(of: "test-model") == .damaged) }
        #expect(await error { try await inventory.verify("test-model") }?.code == .modelInvalid)
        #expect(await inventory.status(of: "test-model") == .damaged)
        #expect(try await inventory.installedModel("test-model") == nil)
        #expect(folder.store.models(engine: "test").isEmpty)
        #expect(try await inventory.installation(of: "test-model") != nil)
        try await inventory.importModel(fromFile: folder.file("archive"), as: "test-model")
        #expect(await inventory.status(of: "test-model") == .installed)
        try await inventory.verify("test-model")
        #expect(TestModel.isWhole(at: path))
    }

    @Test func aModelIsRemoved() async throws {
        let folder = try TemporaryFolder()
        let inventory = try await Self.installed(folder)
        try await inventory.remove("test-model")
        try await inventory.remove("test-model")
        try await inventory.remove("../outside")
        #expect(await inventory.status(of: "test-model") == .supported)
        #expect(!isThere(folder.file("models/test-model")))
        #expect(names(in: folder.store.folder + "/.trash").isEmpty)
        #expect(await error { try await inventory.verify("test-model") }?.code == .modelNotInstalled)
    }

    @Test func enginesFindAModelByItsLocale() async throws {
        let folder = try TemporaryFolder()
        let inventory = try await Self.installed(folder)
        #expect(folder.store.models(engine: "test", locale: "en-US").map(\.asset.id) == ["test-model"])
        #expect(folder.store.models(engine: "test", locale: "de-DE").isEmpty)
        #expect(folder.store.models(engine: "other", locale: "en-US").isEmpty)
        #expect(try await inventory.installedLocales(engine: "test") == ["en-US"])
        #expect(try await inventory.status(engine: "test", locale: "en-US") == .installed)
        #expect(try await inventory.status(engine: "test", locale: "de-DE") == .unsupported)
    }

    @Test func whatNoCatalogueHasIsUnknown() async throws {
        let inventory = try await Self.installed(try TemporaryFolder())
        #expect(await error { try await inventory.verify("nobody's") }?.code == .unknownModel)
        #expect(await error { try await inventory.verify("second") }?.code == .modelNotInstalled)
        #expect(await error { _ = try await inventory.installation(of: "nobody's") }?.code == .unknownModel)
    }

    /// What an app saves outlives a version that has one more.
    @Test(arguments: ModelAsset.Status.allCases) func aStatusIsSavedByItsName(_ status: ModelAsset.Status) throws {
        let json = try JSONEncoder().encode([status])
        #expect(String(decoding: json, as: UTF8.self) == #"["\#(status)"]"#)
        #expect(ModelAsset.Status.allCases.sorted() == ModelAsset.Status.allCases)
    }

    @Test func aModelOfNoCatalogueAnyMoreStays() async throws {
        let folder = try TemporaryFolder()
        _ = try await Self.installed(folder)
        let inventory = CatalogAssetInventory.quick(folder, [])
        #expect(try await inventory.assets().map(\.id) == ["test-model"])
        #expect(await inventory.status(of: "test-model") == .installed)
        try await inventory.verify("test-model")
        try await inventory.remove("test-model")
        #expect(try await inventory.assets().isEmpty)
        #expect(await inventory.status(of: "test-model") == .unsupported)
    }

    @Test func theSystemsModelsAppearAndAreLeftAlone() async throws {
        let (mine, shared) = (try TemporaryFolder(), try TemporaryFolder())
        _ = try await Self.installed(shared)
        let store = ModelStore(folder: mine.file("models"), sharedFolders: [shared.store.folder])
        let inventory = CatalogAssetInventory(store: store, catalogs: [], validators: [:], sizeLimit: 1)
        #expect(await inventory.status(of: "test-model") == .installed)
        #expect(try await inventory.installedModel("test-model")?.origin == .system)
        #expect(store.models(engine: "test", locale: "en-US").map(\.origin) == [.system])
        let thrown = await error { try await inventory.remove("test-model") }
        #expect(thrown?.code == .notRemovable)
        // Damage is noted for this user; nothing is written there.
        let before = names(in: shared.store.folder)
        try Harm.flippedBit.happen(to: shared.store.folder + "/test-model")
        #expect(await error { try await inventory.verify("test-model") }?.code == .modelInvalid)
        #expect(await inventory.status(of: "test-model") == .damaged)
        #expect(names(in: shared.store.folder) == before)
    }

    @Test func aPackagedModelAppears() async throws {
        let folder = try TemporaryFolder()
        let asked = Mutex<[String]>([])
        let model = CatalogModel(
            id: "packaged", engine: "test", locales: ["en-US"], name: "Packaged",
            packaged: .init(name: "some-package", path: folder.file("package")))
        let inventory = CatalogAssetInventory.quick(
            folder, [model], validators: ["test": { model in asked.withLock { $0.append(model.folder) } }])
        #expect(await inventory.status(of: "packaged") == .supported)
        let thrown = await error { _ = try await inventory.installation(of: "packaged") }
        #expect(thrown?.recovery?.contains("some-package") == true)
        let best = await error { _ = try await inventory.installation(engine: "test", locale: "en-US") }
        #expect(best?.recovery?.contains("some-package") == true)
        try makeFolder(folder.file("package"))
        #expect(await inventory.status(of: "packaged") == .installed)
        try await inventory.verify("packaged")
        #expect(asked.withLock { $0 } == [folder.file("package")])
    }

    @Test func theFoldersAreThoseOfTheSpecification() {
        let usual = ModelStore(environment: ["HOME": "/home/ada"])
        #expect(usual.folder == "/home/ada/.local/share/swift-dictation/models")
        #expect(
            usual.sharedFolders == [
                "/usr/local/share/swift-dictation/models", "/usr/share/swift-dictation/models",
            ])
        let own = ModelStore(environment: [
            "XDG_DATA_HOME": "/data", "XDG_DATA_DIRS": "/one/:relative:/two", "HOME": "/h",
        ])
        #expect(own.folder == "/data/swift-dictation/models")
        #expect(own.sharedFolders == ["/one/swift-dictation/models", "/two/swift-dictation/models"])
    }

    @Test func anExportedModelIsImportedWhereThereIsNoNetwork() async throws {
        let (here, there) = (try TemporaryFolder(), try TemporaryFolder())
        let inventory = try await Self.installed(here)
        let export = here.file("export.tar.gz")
        try await inventory.exportModel("test-model", toFile: export)
        let other = CatalogAssetInventory.quick(there, [])
        // Nothing over there says what the files must be.
        #expect(await error { try await other.importModel(fromFile: export) }?.code == .modelUnpinned)
        #expect(try await other.importModel(fromFile: export, allowingUnpinned: true).id == "test-model")
        #expect(TestModel.isWhole(at: try #require(try await other.installedModel("test-model")).folder))
        try await other.verify("test-model")
        // From now on it is known, and another content of the same name is refused.
        try await other.remove("test-model")
        try await other.importModel(fromFile: export)
        let forged = try Self.forge(try Data(contentsOf: URL(fileURLWithPath: export)))
        let path = try there.write(forged, to: "forged")
        #expect(await error { try await other.importModel(fromFile: path) }?.code == .modelInvalid)
        try await other.verify("test-model")
        #expect(await error { try await other.exportModel("second", toFile: export) }?.code == .modelNotInstalled)
    }

    /// An export of the same name that fits its own receipt and holds something else.
    private static func forge(_ export: Data) throws -> [UInt8] {
        let content = Array("forged".utf8)
        let receipt = ModelReceipt(
            asset: ModelAsset(id: "test-model", engine: "test", locales: ["en-US"], name: "Test"),
            files: [
                CatalogModel.File(path: "weights.onnx", sha256: try ContentHash.sha256(of: content), byteCount: 6)
            ])
        return try TestArchive.tarGzip.bytes([
            .file("test-model/.model.json", receipt.json), .file("test-model/weights.onnx", content),
        ])
    }

    @Test func anUnpinnedModelIsInstalledWhenTheUserSaysSoAndHeldToItsHashes() async throws {
        let folder = try TemporaryFolder()
        let archive = try Self.archive.get()
        let changed = try TestArchive.tarGzip.bytes(TestModel.entries + [.file("model/more", [1])])
        let serves = Mutex(archive)
        let server = try MisbehavingServer { .file(serves.withLock { $0 }, tag: nil, for: $0) }
        defer { server.stop() }
        let inventory = CatalogAssetInventory.quick(folder, [try TestModel.entry([server.address("/model")])])
        #expect(try await inventory.assets().map(\.isPinned) == [false])
        #expect(await error { _ = try await inventory.installation(of: "test-model") }?.code == .modelUnpinned)
        try await inventory.install("test-model", allowingUnpinned: true)
        #expect(try await inventory.assets().map(\.isPinned) == [true])

        try await inventory.remove("test-model")
        try await inventory.install("test-model")
        try await inventory.remove("test-model")
        serves.withLock { $0 = changed }
        let thrown = await error { try await inventory.install("test-model", allowingUnpinned: true) }
        #expect(thrown?.code == .modelInvalid)
        #expect(await inventory.status(of: "test-model") == .supported)
        try await inventory.forgetRecordedHashes(of: "test-model")
        #expect(await error { _ = try await inventory.installation(of: "test-model") }?.code == .modelUnpinned)
        try await inventory.install("test-model", allowingUnpinned: true)
        #expect(await inventory.status(of: "test-model") == .installed)
    }

    @Test func whatWasUsedLongestAgoAndIsNotReservedMakesRoom() async throws {
        let folder = try TemporaryFolder()
        let size = Int64(TestModel.weights.count + TestModel.tokens.count)
        let inventory = try await Self.installed(folder, sizeLimit: 2 * size)
        try await inventory.importModel(fromFile: folder.file("archive"), as: "second")
        #expect(await inventory.status(of: "test-model") == .installed)
        // The first was used longer ago, but it is reserved.
        try await inventory.reserve("test-model")
        #expect(await inventory.reserved() == ["test-model"])
        try await inventory.importModel(fromFile: folder.file("archive"), as: "third")
        #expect(await inventory.status(of: "test-model") == .installed)
        #expect(await inventory.status(of: "second") == .supported)
        #expect(await inventory.status(of: "third") == .installed)
        // With both reserved there is no room, and nothing is taken away.
        try await inventory.reserve("third")
        let thrown = await error { try await inventory.importModel(fromFile: folder.file("archive"), as: "second") }
        #expect(thrown?.code == .storageFull)
        #expect(await inventory.status(of: "third") == .installed)
        // Used last, it stays; the other one goes.
        await inventory.release("third")
        await inventory.release("test-model")
        _ = try await inventory.installedModel("test-model")
        try await inventory.importModel(fromFile: folder.file("archive"), as: "second")
        #expect(await inventory.status(of: "test-model") == .installed)
        #expect(await inventory.status(of: "third") == .supported)
        #expect(await inventory.reserved().isEmpty)
        #expect(await error { try await inventory.reserve("nobody's") }?.code == .unknownModel)
    }

    @Test func nothingIsEvictedWithoutALimit() async throws {
        let folder = try TemporaryFolder()
        let inventory = try await Self.installed(folder)
        for id in ["second", "third"] { try await inventory.importModel(fromFile: folder.file("archive"), as: id) }
        #expect(folder.store.models(engine: "test").count == 3)
    }

    @Test func theEnginesOwnCheckHasTheLastWord() async throws {
        let folder = try TemporaryFolder()
        let archive = try Self.archive.get()
        let refuses = Mutex(true)
        let validator: InstalledModel.Validator = { model throws(DictationError) in
            #expect(TestModel.isWhole(at: model.folder))
            if refuses.withLock({ $0 }) {
                throw DictationError(.modelInvalid, "It has no encoder.", recovery: "Get another one.")
            }
        }
        let inventory = CatalogAssetInventory.quick(
            folder, [try TestModel.entry(["http://127.0.0.1:1/"], archive: archive)],
            validators: ["test": validator])
        let path = try folder.write(archive, to: "archive")
        let thrown = await error { try await inventory.importModel(fromFile: path, as: "test-model") }
        #expect(thrown?.message == "It has no encoder.")
        #expect(await inventory.status(of: "test-model") == .supported)
        refuses.withLock { $0 = false }
        try await inventory.importModel(fromFile: path, as: "test-model")
        #expect(await inventory.status(of: "test-model") == .installed)
    }

    /// What killed processes can leave behind, and what is none of ours.
    @Test func whatIsHalfInstalledIsNotInstalled() async throws {
        let folder = try TemporaryFolder()
        let inventory = try await Self.installed(folder)
        let store = folder.store
        let receipt = try Data(contentsOf: URL(fileURLWithPath: store.folder + "/test-model/.model.json"))
        for (id, content) in [("second", receipt.prefix(50)), ("third", receipt), ("other", nil)] {
            try makeFolder(store.folder + "/" + id)
            if let content { try content.write(to: URL(fileURLWithPath: "\(store.folder)/\(id)/.model.json")) }
        }
        for id in ["second", "third"] { #expect(await inventory.status(of: id) == .supported) }
        #expect(await inventory.status(of: "other") == .unsupported)
        #expect(store.models(engine: "test").map(\.asset.id) == ["test-model"])
        // A folder that is in the way is replaced.
        try await inventory.importModel(fromFile: folder.file("archive"), as: "second")
        #expect(await inventory.status(of: "second") == .installed)
    }
}
#endif
