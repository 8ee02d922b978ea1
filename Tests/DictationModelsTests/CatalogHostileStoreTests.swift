#if ModelCatalog
import DictationCore
import DictationSystem
import Foundation
import TestSupport
import Testing

@testable import DictationModels

/// Stores with links, forged receipts and damaged catalogues in them.
@Suite struct CatalogHostileStoreTests {
    private static let archive = Result { try TestArchive.tarGzip.bytes(TestModel.entries) }

    /// A store whose model was moved elsewhere and linked, with another file of the user's beside it.
    private static func linked(
        _ folder: TemporaryFolder, sizeLimit: Int64? = nil
    ) async throws -> CatalogAssetInventory {
        let models = try ["test-model", "second"].map {
            try TestModel.entry(["http://127.0.0.1:1/"], archive: try archive.get(), id: $0)
        }
        let inventory = CatalogAssetInventory.quick(folder, models, sizeLimit: sizeLimit)
        try await inventory.importModel(fromFile: try folder.write(try archive.get(), to: "archive"), as: "test-model")
        try FileManager.default.moveItem(
            atPath: folder.file("models/test-model"), toPath: folder.file("elsewhere"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("models/test-model"), withDestinationPath: folder.file("elsewhere"))
        _ = try folder.write([1], to: "elsewhere/mine")
        return inventory
    }

    private static let whole = [".model.json", "mine", "tokens.txt", "weights.onnx"]

    @Test func aModelThatWasMovedAndLinkedIsUsedAndNeverEmptied() async throws {
        let folder = try TemporaryFolder()
        let inventory = try await Self.linked(folder)
        #expect(await inventory.status(of: "test-model") == .installed)
        try await inventory.verify("test-model")
        try await inventory.remove("test-model")
        #expect(!isThere(folder.file("models/test-model")))
        #expect(names(in: folder.file("elsewhere")) == Self.whole)
        #expect(names(in: folder.file("models/.trash")).isEmpty)
    }

    @Test func aLinkedModelTakesNoRoomAndIsNotEvicted() async throws {
        let folder = try TemporaryFolder()
        let inventory = try await Self.linked(folder, sizeLimit: 400_000)
        try await inventory.importModel(fromFile: folder.file("archive"), as: "second")
        #expect(await inventory.status(of: "test-model") == .installed)
        #expect(names(in: folder.file("elsewhere")) == Self.whole)
    }

    @Test func aLinkIsReplacedByAnInstallation() async throws {
        let folder = try TemporaryFolder()
        let inventory = try await Self.linked(folder)
        try await inventory.importModel(fromFile: folder.file("archive"), as: "test-model")
        #expect(names(in: folder.file("elsewhere")) == Self.whole)
        #expect(!folder.store.isLink("test-model"))
    }

    @Test func linksInTheTrashAndTheStagingFolderAreNotFollowed() async throws {
        let folder = try TemporaryFolder()
        let inventory = try await Self.linked(folder)
        for place in [".trash/old", ".staging/test-model/tree", ".staging/second"] {
            let path = folder.file("models/" + place)
            try makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
            try? FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: folder.file("elsewhere"))
        }
        try await inventory.importModel(fromFile: folder.file("archive"), as: "test-model")
        let thrown = await error { try await inventory.importModel(fromFile: folder.file("archive"), as: "second") }
        #expect(thrown?.code == .fileUnreadable)
        try await inventory.remove("second")
        #expect(names(in: folder.file("elsewhere")) == Self.whole)
    }

    @Test func anExportReplacesNoFileThroughALink() async throws {
        let folder = try TemporaryFolder()
        let inventory = try await Self.linked(folder)
        let precious = try folder.write([7], to: "precious")
        for name in ["export", "export.part"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.file(name), withDestinationPath: precious)
        }
        try await inventory.exportModel("test-model", toFile: folder.file("export"))
        #expect(FileManager.default.contents(atPath: precious) == Data([7]))
        #expect(names(in: folder.path).filter { $0.hasPrefix(".") }.isEmpty)
    }

    /// What a receipt may say that no receipt of ours does.
    private static let forgeries: [(String, @Sendable (inout ModelReceipt) -> Void)] = [
        ("installation climbs", { $0.installation = "/../../../evil" }),
        ("installation empty", { $0.installation = "" }),
        ("installation with a control character", { $0.installation = "a\nb" }),
        ("path climbs", { $0.files[0].path = "../\u{301}Z\u{600}/../evil" }),
        ("path twice", { $0.files[1].path = $0.files[0].path }),
        ("path twice in other words", { $0.files[1].path = "./" + $0.files[0].path }),
        ("path of the receipt", { $0.files[0].path = ".model.json" }),
        ("size under zero", { $0.files[0].byteCount = -1 }),
        ("name of two lines", { $0.asset.name = "a\nb" }),
        ("name that turns text", { $0.asset.name = "\u{202E}b" }),
        ("id of another model", { $0.asset.id = "other" }),
    ]

    @Test(arguments: forgeries.indices) func aForgedReceiptInstallsNothing(_ index: Int) async throws {
        let (name, change) = Self.forgeries[index]
        let folder = try TemporaryFolder()
        let inventory = CatalogAssetInventory.quick(folder, [try TestModel.entry(["http://127.0.0.1:1/"])])
        try await inventory.importModel(
            fromFile: try folder.write(try Self.archive.get(), to: "archive"), as: "test-model", allowingUnpinned: true)
        let path = folder.file("models/test-model/.model.json")
        var receipt = try #require(ModelReceipt(json: Array(try Data(contentsOf: URL(fileURLWithPath: path)))))
        change(&receipt)
        try Data(receipt.json).write(to: URL(fileURLWithPath: path))
        #expect(await inventory.status(of: "test-model") == .supported, "\(name)")
        #expect(folder.store.installed(catalogs: []).isEmpty, "\(name)")
    }

    @Test func aDamagedSavedCatalogueLeavesTheOthers() async throws {
        let folder = try TemporaryFolder()
        let inventory = CatalogAssetInventory.quick(folder, [try TestModel.entry(["http://127.0.0.1:1/"])])
        let path = try folder.write(try CatalogSourceTests.catalog().json(), to: "catalog.json")
        try await inventory.addCatalog(path)
        for (name, bytes) in [("damaged.json", Array("{".utf8)), ("empty.json", [])] {
            _ = try folder.write(bytes, to: "models/.catalogs/" + name)
        }
        #expect(try await inventory.assets().map(\.id) == ["test-model", "theirs"])
        let problems = await inventory.catalogProblems()
        #expect(problems.count == 2)
        #expect(problems.allSatisfy { $0.code == .invalidInput && !"\($0)".contains("\n") })
        #expect(await inventory.status(of: "theirs") == .supported)
        // What is here and can't be read says nothing of its keys, so nothing is put in its place.
        let saved = folder.file("models/.catalogs/\(try SavedCatalog.name(path).text)")
        try Data("{".utf8).write(to: URL(fileURLWithPath: saved))
        #expect(await error { try await inventory.addCatalog(path) }?.code == .invalidInput)
        try await inventory.removeCatalog(path)
        try await inventory.addCatalog(path)
    }

    @Test(arguments: ["", "relative", "./x", "~"]) func aHomeThatIsNotAbsoluteIsNone(_ home: String) async throws {
        let store = ModelStore(environment: ["HOME": home, "XDG_DATA_HOME": home, "XDG_DATA_DIRS": home])
        #expect(store.folder.isEmpty)
        #expect(store.installed(catalogs: []).isEmpty)
        let inventory = CatalogAssetInventory(
            store: store, catalogs: [], validators: [:])
        let path = try TemporaryFolder().write([], to: "archive")
        _ = await error { try await inventory.importModel(fromFile: path, as: "any") }
        let thrown = await error { _ = try store.make() }
        #expect(thrown?.recovery?.contains("HOME") == true)
        // A data folder that is not absolute is passed over, as the specification says.
        let own = ModelStore(environment: ["HOME": "/home/ada", "XDG_DATA_HOME": "relative"])
        #expect(own.folder == "/home/ada/.local/share/swift-dictation/models")
    }
}
#endif
