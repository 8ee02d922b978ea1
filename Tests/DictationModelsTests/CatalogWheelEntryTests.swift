#if ModelCatalog
import DictationCore
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationModels

/// What a catalogue may say about wheels and libraries.
@Suite struct CatalogWheelEntryTests {
    @Test func aWheelSurvivesJSON() throws {
        let text = """
            {"format": 1, "name": "Ours", "models": [{"id": "ours", "engine": "test", "locales": ["en-US"], "name": "Ours",
              "downloads": [{"wheel": {"package": "our-speech", "version": "1.2.0",
                "builds": [{"platform": "any", "sha256": "\(String(repeating: "a", count: 64))", "byteCount": 5}],
                "members": [{"path": "a/tokenizer.bin", "file": "tokens.txt", "conversion": "moonshine-tokens"}]}}]}]}
            """
        let catalog = try ModelCatalog(json: Array(text.utf8))
        let model = try #require(catalog.models.first)
        #expect(model.isPinned && model.downloadByteCount == 5)
        #expect(model.downloads?.first?.wheel?.members.first?.conversion == .moonshineTokens)
        #expect(try ModelCatalog(json: try catalog.json()) == catalog)
    }

    /// The first build that suits the processor counts.
    @Test func aMachineUsesTheBuildForItsProcessor() throws {
        var wheel = try TestWheel().wheel
        let sizes: [(String?, Int64)] = [("pdp11", 1), (CatalogModel.Wheel.machine, 2), (nil, 3)]
        wheel.builds = sizes.map { machine, size in
            .init(platform: "any", machine: machine, sha256: wheel.builds[0].sha256, byteCount: size)
        }
        #expect(wheel.build?.byteCount == 2)
        wheel.builds.remove(at: 1)
        #expect(wheel.build?.byteCount == 3)
        wheel.builds.removeLast()
        #expect(wheel.build == nil)
    }

    @Test func wheelsThatMakeNoSenseAreRefused() async throws {
        let changes: [(String, (inout CatalogModel.Wheel) -> Void)] = [
            ("package is an option", { $0.package = "--index-url=http://x" }),
            ("package is a dash", { $0.package = "-" }),
            ("package of two lines", { $0.package = "a\n--index-url http://x" }),
            ("package with a space", { $0.package = "a b" }),
            ("package is a path", { $0.package = "./a" }), ("package is an address", { $0.package = "a@file:///etc" }),
            ("package is empty", { $0.package = "" }),
            ("package is long", { $0.package = String(repeating: "a", count: 101) }),
            ("package with a mark", { $0.package = "a;b" }), ("package beyond ASCII", { $0.package = "ä" }),
            ("version is an option", { $0.version = "-r" }),
            ("version of two lines", { $0.version = "1\n-r /etc/passwd" }),
            ("version with a hash", { $0.version = "1 --hash=sha256:0" }), ("any version", { $0.version = "1.*" }),
            ("version is empty", { $0.version = "" }), ("no builds", { $0.builds = [] }),
            ("platform is an option", { $0.builds[0].platform = "--pre" }),
            ("platform is empty", { $0.builds[0].platform = "" }),
            ("machine of two lines", { $0.builds[0].machine = "a\nb" }), ("no hash", { $0.builds[0].sha256 = "" }),
            ("short hash", { $0.builds[0].sha256 = "abc" }), ("no size", { $0.builds[0].byteCount = 0 }),
            ("negative size", { $0.builds[0].byteCount = -1 }), ("no members", { $0.members = [] }),
            ("member climbs", { $0.members[0].path = "../a" }),
            ("member is absolute", { $0.members[0].path = "/etc/passwd" }),
            ("member twice", { $0.members[1].path = "./" + $0.members[0].path }),
            ("file twice", { $0.members[1].file = $0.members[0].file }),
            ("file climbs", { $0.members[0].file = "a/../../b" }),
            ("file is absolute", { $0.members[0].file = "/etc/passwd" }),
            ("file is the receipt", { $0.members[0].file = ".model.json" }),
            ("file below a file", { $0.members[0].file = "text/tokens.txt/a" }),
            ("many members", { $0.members = (0...1_000).map { .init(path: "a\($0)", file: "a\($0)") } }),
            ("many builds", { $0.builds = Array(repeating: $0.builds[0], count: 101) }),
        ]
        let wheel = try TestWheel().wheel
        for (name, change) in changes {
            var changed = wheel
            change(&changed)
            let model = CatalogModel(
                id: "m", engine: "test", locales: ["en-US"], name: "M", downloads: [.wheel(changed)])
            #expect(await error { try model.check() }?.code == .invalidInput, "\(name)")
        }
        let beside: [(inout CatalogModel.Download) -> Void] = [
            { $0.archive = "" }, { $0.file = "a" }, { $0.mirrors = ["https://example.invalid/"] },
            { $0.sha256 = wheel.builds[0].sha256 }, { $0.byteCount = 1 },
        ]
        for change in beside {
            var download = CatalogModel.Download.wheel(wheel)
            change(&download)
            let model = CatalogModel(
                id: "m", engine: "test", locales: ["en-US"], name: "M", downloads: [download])
            #expect(await error { try model.check() }?.code == .invalidInput)
        }
    }

    // MARK: Tokenizers

    private static func convert(_ bytes: [UInt8], blocks random: inout SplitMix64) -> (text: String, fault: String?) {
        var tokens = MoonshineTokens()
        var text: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let block = rest.prefix(.random(in: 1...300, using: &random))
            rest = rest.dropFirst(block.count)
            text += block.withUnsafeBytes { tokens.convert($0) }
        }
        return (String(decoding: text, as: UTF8.self), tokens.fault)
    }

    @Test func aTokenizerBecomesText() {
        var random = SplitMix64(seed: 1)
        for _ in 0..<50 {
            let lengths = [0, 1, 127, 128, 129, 255, 256, 32_767].shuffled(using: &random)
            var (bytes, expected): ([UInt8], String) = ([], "")
            for (number, length) in lengths.enumerated() {
                let piece = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                bytes += length < 128 ? [UInt8(length)] : [UInt8(128 + length % 128), UInt8(length / 128)]
                bytes += piece
                let base64 = Data(length == 0 ? Array("<unused>".utf8) : piece).base64EncodedString()
                expected += "\(base64) \(number)\n"
            }
            let found = Self.convert(bytes, blocks: &random)
            #expect(found.text == expected && found.fault == nil)
        }
    }

    @Test func randomBytesAreNeverMoreThanLinesOrAFault() throws {
        var random = SplitMix64(seed: 2)
        var faults = 0
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...2_000, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let found = Self.convert(bytes, blocks: &random)
            if found.fault != nil { faults += 1 }
            #expect(found.fault != nil || !found.text.isEmpty)
            for (number, line) in found.text.split(separator: "\n").enumerated() {
                let parts = line.split(separator: " ")
                #expect(parts.count == 2 && parts.last.map(String.init) == "\(number)")
                #expect(parts.first.flatMap { Data(base64Encoded: String($0)) }?.isEmpty == false)
            }
        }
        #expect(faults > 0 && faults < 2_000)
    }

    // MARK: Libraries

    private static func library(_ folder: TemporaryFolder) async throws -> CatalogAssetInventory {
        let wheel = try TestWheel()
        let archive = try TestArchive.tarGzip.bytes(TestModel.entries)
        let validator: InstalledModel.Validator = { model throws(DictationError) in
            guard model.asset.id != "library" else {
                throw DictationError(.modelInvalid, "A library is no model.", recovery: "None.")
            }
        }
        let inventory = CatalogAssetInventory.quick(
            folder,
            [
                wheel.model(kind: .library, id: "library"),
                try TestModel.entry(["http://127.0.0.1:1/"], archive: archive),
                try TestModel.entry(["http://127.0.0.1:1/"], archive: archive, id: "second"),
            ], validators: ["test": validator], sizeLimit: 550_000)
        try await inventory.importModel(fromFile: try folder.write(wheel.bytes, to: "wheel"), as: "library")
        _ = try folder.write(archive, to: "archive")
        return inventory
    }

    @Test func aLibraryIsInstalledAndIsNoModel() async throws {
        let folder = try TemporaryFolder()
        let inventory = try await Self.library(folder)
        let library = try #require(folder.store.library(engine: "test"))
        #expect(library.asset.kind == .library && library.folder == folder.store.folder + "/library")
        #expect(TestWheel.isWhole(at: library.folder))
        #expect(folder.store.library(engine: "other") == nil)
        #expect(folder.store.models(engine: "test").isEmpty)
        #expect(try await inventory.assets().first { $0.id == "library" }?.kind == .library)
        #expect(try await inventory.supportedLocales(engine: "test") == ["en-US"])
        #expect(try await inventory.installedLocales(engine: "test").isEmpty)
        #expect(try await inventory.installation(engine: "test", locale: "en-US")?.asset.id == "test-model")
        try await inventory.verify("library")
        try Data([1]).write(to: URL(fileURLWithPath: library.folder + "/weights.onnx"))
        #expect(folder.store.library(engine: "test") == nil)
        #expect(await error { try await inventory.verify("library") }?.code == .modelInvalid)
        #expect(await inventory.status(of: "library") == .damaged)
        try await inventory.importModel(fromFile: folder.file("wheel"), as: "library")
        #expect(folder.store.library(engine: "test") != nil)
        try await inventory.remove("library")
        #expect(folder.store.library(engine: "test") == nil)
    }

    @Test func aLibraryIsNotEvicted() async throws {
        let folder = try TemporaryFolder()
        let inventory = try await Self.library(folder)
        // Only one of the two models has room beside the library.
        for id in ["test-model", "second"] {
            try await inventory.importModel(fromFile: folder.file("archive"), as: id)
            #expect(await inventory.status(of: id) == .installed)
        }
        #expect(await inventory.status(of: "test-model") == .supported)
        #expect(folder.store.library(engine: "test") != nil)
    }

    @Test func aLibraryIsNeitherExportedNorTakenFromAnExport() async throws {
        let folder = try TemporaryFolder()
        let inventory = try await Self.library(folder)
        let thrown = await error { try await inventory.exportModel("library", toFile: folder.file("export")) }
        #expect(thrown?.code == .invalidInput)
        #expect(!isThere(folder.file("export")))
        // A receipt in an archive that says it is the library, or any library.
        for (id, kind) in [("library", ModelAsset.Kind.model), ("other", .library)] {
            let asset = ModelAsset(id: id, engine: "test", locales: ["en-US"], name: "Forged", kind: kind)
            let code = Array("code".utf8)
            let receipt = ModelReceipt(
                asset: asset,
                files: [CatalogModel.File(path: "a.so", sha256: try ContentHash.sha256(of: code), byteCount: 4)])
            let forged = try TestArchive.tarGzip.bytes([
                .file(id + "/.model.json", receipt.json), .file(id + "/a.so", code),
            ])
            let path = try folder.write(forged, to: "forged")
            let refused = await error { try await inventory.importModel(fromFile: path, allowingUnpinned: true) }
            #expect(refused?.code == .invalidInput)
        }
        try await inventory.verify("library")
    }

    @Test func aCatalogueThatWasAddedOffersNoLibrary() async throws {
        let folder = try TemporaryFolder()
        let inventory = CatalogAssetInventory.quick(folder, [])
        for kind in [ModelAsset.Kind.library, .model] {
            let catalog = ModelCatalog(name: "Theirs", models: [try TestWheel().model(kind: kind, id: "theirs")])
            let path = try folder.write(try catalog.json(), to: "catalog.json")
            if kind == .model {
                try await inventory.addCatalog(path)
            } else {
                #expect(await error { try await inventory.addCatalog(path) }?.code == .invalidInput)
                #expect(await error { _ = try await inventory.readCatalog(path) }?.code == .invalidInput)
            }
        }
    }

    @Test func librariesThatMakeNoSenseAreRefused() async throws {
        let wheel = try TestWheel()
        try wheel.model(kind: .library).check()
        let changes: [(inout CatalogModel) -> Void] = [
            { $0.locales = ["en-US"] }, { $0.downloads = [.archive(["https://example.invalid/"])] },
            { $0.packaged = .init(name: "p", path: "/usr/lib") },
            { $0.downloads?.append(.file(["https://example.invalid/"], as: "other")) },
        ]
        for change in changes {
            var model = wheel.model(kind: .library)
            change(&model)
            #expect(await error { try model.check() }?.code == .invalidInput)
        }
    }
}
#endif
