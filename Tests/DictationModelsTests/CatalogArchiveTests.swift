#if ModelCatalog
import DictationCore
import DictationSystem
import Foundation
import TestSupport
import Testing

@testable import DictationModels

@Suite struct CatalogArchiveTests {
    @Test(arguments: TestArchive.allCases) func everyKindOfArchiveIsInstalled(_ kind: TestArchive) async throws {
        let folder = try TemporaryFolder()
        let bytes = try kind.bytes(TestModel.entries)
        let inventory = CatalogAssetInventory.quick(
            folder, [try TestModel.entry(["https://example.invalid/model"], archive: bytes)])
        let asset = try await inventory.importModel(fromFile: try folder.write(bytes, to: "archive"), as: "test-model")
        #expect(asset.byteCount == Int64(TestModel.weights.count + TestModel.tokens.count))
        #expect(TestModel.isWhole(at: try #require(try await inventory.installedModel("test-model")).folder))
    }

    /// Archives that do harm, or none that can be used.
    enum Malice: String, CaseIterable, Sendable {
        case climbing, climbingInside, absolute, symbolicLink, symbolicLinkInside, writeThroughLink, hardLink,
            device
        case pipe, twice, fileAsFolder, bomb, tooManyFiles, truncated, garbage, empty, otherFolder, longName

        func entries(outside: String) -> [TestEntry] {
            let evil = Array("evil".utf8)
            return switch self {
            case .climbing: [.file("../../evil", evil)]
            case .climbingInside: [.file("model/a/../../../../evil", evil)]
            case .absolute: [.file(outside + "/evil", evil)]
            case .symbolicLink: [.symbolicLink("model/link", to: outside)]
            case .symbolicLinkInside: [.symbolicLink("model/link", to: "tokens.txt")]
            case .writeThroughLink: [.symbolicLink("model/link", to: outside), .file("model/link/evil", evil)]
            case .hardLink: [.hardLink("model/passwd", to: "/etc/passwd")]
            case .device: [.device("model/zero")]
            case .pipe: [.pipe("model/pipe")]
            case .twice: [.file("model/tokens.txt", evil)]
            case .fileAsFolder: [.file("model/tokens.txt/evil", evil)]
            case .bomb: [.file("model/zeros", [UInt8](repeating: 0, count: 20_000_000))]
            case .tooManyFiles: (0..<100).map { .file("model/\($0)", []) }
            case .truncated, .garbage, .empty, .otherFolder: []
            case .longName: [.file("model/" + String(repeating: "n", count: 300), evil)]
            }
        }

        func bytes(_ kind: TestArchive, outside: String) throws -> [UInt8] {
            switch self {
            case .empty: try kind.bytes([])
            case .otherFolder: try kind.bytes([.file("elsewhere/tokens.txt", TestModel.tokens)])
            case .garbage: TestModel.pseudorandomBytes(10_000, seed: 3)
            case .truncated: Array(try kind.bytes(TestModel.entries).prefix(150_000))
            default: try kind.bytes(TestModel.entries + entries(outside: outside))
            }
        }
    }

    @Test(arguments: Malice.allCases, [TestArchive.tarGzip, .zip])
    func aBadArchiveLeavesNothingBehind(_ malice: Malice, _ kind: TestArchive) async throws {
        // A zip has no hard links, devices or pipes.
        if kind == .zip, [.hardLink, .device, .pipe].contains(malice) { return }
        let folder = try TemporaryFolder()
        let outside = folder.file("outside")
        try makeFolder(outside)
        let path = try folder.write(try malice.bytes(kind, outside: outside), to: "archive")
        let model = try TestModel.entry(
            ["https://example.invalid/"], limits: .init(byteCount: 1_000_000, fileCount: 50))
        let inventory = CatalogAssetInventory.quick(folder, [model])
        let thrown = await error {
            try await inventory.importModel(fromFile: path, as: "test-model", allowingUnpinned: true)
        }
        #expect(thrown?.code == .modelInvalid, "\(String(describing: thrown))")
        #expect(await inventory.status(of: "test-model") == .supported)
        #expect(names(in: folder.path) == ["archive", "models", "outside"])
        #expect(names(in: outside).isEmpty)
        #expect(names(in: folder.file("models")).allSatisfy { $0.hasPrefix(".") })
        #expect(names(in: folder.file("models/.staging/test-model/tree")).count <= 60)
    }

    @Test func aPinnedArchiveCannotBlowUpEither() async throws {
        let folder = try TemporaryFolder()
        let bytes = try TestArchive.tarBzip2.bytes([.file("model/zeros", [UInt8](repeating: 0, count: 5_000_000))])
        let model = try TestModel.entry(["https://example.invalid/"], archive: bytes, byteCount: 1_000_000)
        let inventory = CatalogAssetInventory.quick(folder, [model])
        let path = try folder.write(bytes, to: "archive")
        let thrown = await error { try await inventory.importModel(fromFile: path, as: "test-model") }
        #expect(thrown?.code == .modelInvalid)
        #expect(thrown?.message.contains("1000000 bytes") == true)
    }

    @Test func onlyTheFilesThatTheCatalogueNamesAreTaken() async throws {
        let folder = try TemporaryFolder()
        let bytes = try TestArchive.tar.bytes(TestModel.entries + [.file("model/extra", [1])])
        var model = try TestModel.entry(["https://example.invalid/"])
        model.files = [CatalogModel.File(path: "tokens.txt", sha256: try ContentHash.sha256(of: TestModel.tokens))]
        let inventory = CatalogAssetInventory.quick(folder, [model])
        try await inventory.importModel(fromFile: try folder.write(bytes, to: "archive"), as: "test-model")
        let path = try #require(try await inventory.installedModel("test-model")).folder
        #expect(names(in: path) == [".model.json", "tokens.txt"])
    }

    @Test(arguments: ["missing.txt", "tokens.txt"]) func aFileThatIsNotAsTheCatalogueSaysIsRefused(
        _ name: String
    ) async throws {
        let folder = try TemporaryFolder()
        let bytes = try TestArchive.tar.bytes(TestModel.entries)
        var model = try TestModel.entry(["https://example.invalid/"])
        model.files = [CatalogModel.File(path: name, sha256: try ContentHash.sha256(of: [1]))]
        let inventory = CatalogAssetInventory.quick(folder, [model])
        let path = try folder.write(bytes, to: "archive")
        #expect(
            await error { try await inventory.importModel(fromFile: path, as: "test-model") }?.code == .modelInvalid)
        #expect(await inventory.status(of: "test-model") == .supported)
    }

    @Test func aHashIsWhatTheStandardSays() throws {
        #expect(
            try ContentHash.sha256(of: Array("abc".utf8))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
#endif
