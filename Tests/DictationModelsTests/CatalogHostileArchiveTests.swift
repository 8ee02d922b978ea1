#if ModelCatalog
import DictationCore
import DictationSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationModels

/// Archives made to do harm: they change nothing outside the store, and leave nothing behind in it.
@Suite struct CatalogHostileArchiveTests {
    private static let evil = Array("evil".utf8)

    /// Names that climb for the system, and that Swift sees as one name, or as none that climbs.
    private static let climbing = [
        // Each climbs a level: the first half makes the folder that the second leaves by.
        "model/" + String(repeating: "../\u{301}Z\u{600}//../\u{301}Z\u{600}/../", count: 4) + "evil",
        // Two levels up and further: the first half makes the folder that the second leaves by.
        "model/" + String(repeating: "../\u{301}Z\u{600}//../\u{301}Z\u{600}/../", count: 3) + "evil",
        "../\u{301}Z\u{600}/../evil", "model/../\u{301}Z\u{600}/../\u{301}Z\u{600}/../evil", "/\u{301}evil",
        "model/a\u{600}/../../../evil", "model/\u{301}evil", "model/evil\u{600}", "..\u{600}/evil",
        "model/\u{200D}/../../../evil", "model/evil\u{202E}", "model/ev\nil", "model/\u{9B}2J",
        "model/e\u{301}/evil",
    ]

    @Test(arguments: climbing, [TestArchive.tar, .ustar, .gnutar, .zip])
    func anEntryNeverLeavesItsFolder(_ name: String, _ kind: TestArchive) async throws {
        // libarchive composes the names of these itself.
        if kind == .tar || kind == .zip, name.utf8.elementsEqual("model/e\u{301}/evil".utf8) { return }
        let folder = try TemporaryFolder()
        let path = try folder.write(try kind.bytes(TestModel.entries + [.file(name, Self.evil)]), to: "archive")
        let inventory = CatalogAssetInventory.quick(folder, [try TestModel.entry(["https://example.invalid/"])])
        let thrown = await error {
            try await inventory.importModel(fromFile: path, as: "test-model", allowingUnpinned: true)
        }
        #expect(thrown?.code == .modelInvalid, "\(String(describing: thrown))")
        #expect(thrown?.message.unicodeScalars.contains { $0.isUnseenInNames } == false)
        let all = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        #expect(all.allSatisfy { !$0.unicodeScalars.contains("\u{301}") && !$0.hasSuffix("evil") }, "\(all)")
        #expect(names(in: folder.path) == ["archive", "models"])
        #expect(names(in: folder.file("models")).allSatisfy { $0.hasPrefix(".") })
        #expect(!isThere(folder.file("models/.staging/test-model/tree")))
    }

    /// They are equal as Swift's strings.
    @Test(arguments: [TestArchive.ustar, .gnutar, .zip, .tar])
    func twoSpellingsOfAnAccentAreRefusedAndNeverTrap(_ kind: TestArchive) async throws {
        let folder = try TemporaryFolder()
        let twins: [TestEntry] = ["é", "e\u{301}"].map { .file("model/" + $0, Self.evil) }
        let path = try folder.write(try kind.bytes(TestModel.entries + twins), to: "archive")
        let inventory = CatalogAssetInventory.quick(folder, [try TestModel.entry(["https://example.invalid/"])])
        for _ in 0..<2 {
            let thrown = await error {
                try await inventory.importModel(fromFile: path, as: "test-model", allowingUnpinned: true)
            }
            #expect(thrown?.code == .modelInvalid)
        }
    }

    /// The tests run in the locale "C", in which libarchive by itself refuses such a name in a pax archive.
    @Test(arguments: TestArchive.allCases)
    func namesBeyondASCIIAreInstalled(_ kind: TestArchive) async throws {
        let folder = try TemporaryFolder()
        let there = try TemporaryFolder()
        let path = try folder.write(
            try kind.bytes([.file("model/Zürich/名前.txt", Self.evil)]), to: "archive")
        let inventory = CatalogAssetInventory.quick(folder, [try TestModel.entry(["https://example.invalid/"])])
        try await inventory.importModel(fromFile: path, as: "test-model", allowingUnpinned: true)
        #expect(isThere(folder.file("models/test-model/Zürich/名前.txt")))
        try await inventory.verify("test-model")
        try await inventory.exportModel("test-model", toFile: folder.file("export"))
        let other = CatalogAssetInventory.quick(there, [])
        try await other.importModel(fromFile: folder.file("export"), allowingUnpinned: true)
        #expect(isThere(there.file("models/test-model/Zürich/名前.txt")))
    }

    @Test func whatIsSkippedIsNotUnpackedWithoutEnd() async throws {
        let folder = try TemporaryFolder()
        let zeros = [UInt8](repeating: 0, count: 90 << 20)
        let tokens = TestEntry.file("model/tokens.txt", TestModel.tokens)
        let bytes = try TestArchive.tarBzip2.bytes([.file("elsewhere/zeros", zeros), tokens])
        #expect(bytes.count < 4_000)
        let inventory = CatalogAssetInventory.quick(folder, [try TestModel.entry(["https://example.invalid/"])])
        let path = try folder.write(bytes, to: "archive")
        let thrown = await error {
            try await inventory.importModel(fromFile: path, as: "test-model", allowingUnpinned: true)
        }
        #expect(thrown?.message.contains("with skipped files") == true, "\(String(describing: thrown))")
        // Small enough to allow for what is skipped, and for the model.
        let few = try TestArchive.tarBzip2.bytes(
            [.file("elsewhere/zeros", Array(zeros[..<1_000_000]))] + TestModel.entries)
        try await inventory.importModel(
            fromFile: try folder.write(few, to: "few"), as: "test-model", allowingUnpinned: true)
        #expect(await inventory.status(of: "test-model") == .installed)
    }

    @Test func noCatalogueRaisesTheLimits() throws {
        var tally = UnpackingTally(.init(byteCount: .max, fileCount: .max))
        #expect(tally.limits == CatalogModel.Limits.most)
        tally.beginArchive(of: 3_000)
        #expect(tally.addUnpacked(64 << 20) == nil)
        #expect(tally.addUnpacked(600_000) == nil)
        #expect(tally.addUnpacked(1) != nil)
        var large = UnpackingTally(.init(byteCount: .max, fileCount: 2))
        large.beginArchive(of: .max)
        #expect(large.addUnpacked(16 << 30) == nil)
        #expect(large.addUnpacked(1) != nil)
        #expect(large.addEntry() == nil && large.addEntry() == nil && large.addEntry() != nil)
    }

    @Test func unpackingStopsAtTheNextBlock() async throws {
        let folder = try TemporaryFolder()
        let zeros = [UInt8](repeating: 0, count: 20 << 20)
        let path = try folder.write(
            try TestArchive.tarGzip.bytes([.file("elsewhere/zeros", zeros), .file("model/zeros", zeros)]),
            to: "archive")
        for root in ["model", "elsewhere"] {
            let asked = Mutex(0)
            let target = try Folder.making(folder.file("target-" + root))
            let thrown = await error {
                guard let file = try OpenFile.reading(path) else { return }
                var tally = UnpackingTally(.init())
                try ArchiveReader(file).unpack(
                    into: target, tally: &tally,
                    isCancelled: {
                        asked.withLock { asked in
                            asked += 1
                            return asked > 20
                        }
                    }, placing: { $0.below(try? RelativePath(root)).map { .init(path: $0) } })
            }
            #expect(thrown?.code == .cancelled)
            #expect(asked.withLock { $0 } == 21)
        }
    }

    @Test(arguments: [2, 3]) func anArchiveThatIsCompressedTwiceIsRefused(_ times: Int) async throws {
        let folder = try TemporaryFolder()
        let bytes = try TestArchive.tarGzip.bytes(TestModel.entries, compressedAgain: times - 1)
        let inventory = CatalogAssetInventory.quick(folder, [try TestModel.entry(["https://example.invalid/"])])
        let path = try folder.write(bytes, to: "archive")
        let thrown = await error {
            try await inventory.importModel(fromFile: path, as: "test-model", allowingUnpinned: true)
        }
        #expect(thrown?.message.contains("compressed more than once") == true, "\(String(describing: thrown))")
    }

    @Test func anEntryInThePlaceOfTheReceiptLeavesNothingInTheWay() async throws {
        let folder = try TemporaryFolder()
        let inventory = CatalogAssetInventory.quick(folder, [try TestModel.entry(["https://example.invalid/"])])
        let bad = try TestArchive.tar.bytes(TestModel.entries + [.file("model/.model.json/evil", Self.evil)])
        let path = try folder.write(bad, to: "bad")
        let thrown = await error {
            try await inventory.importModel(fromFile: path, as: "test-model", allowingUnpinned: true)
        }
        #expect(thrown?.code == .modelInvalid)
        #expect(names(in: folder.file("models/.staging/test-model")).isEmpty)
        // What an archive says in the receipt's place is not taken for one.
        let good = try TestArchive.tar.bytes(TestModel.entries + [.file("model/.model.json", Self.evil)])
        try await inventory.importModel(
            fromFile: try folder.write(good, to: "good"), as: "test-model", allowingUnpinned: true)
        try await inventory.verify("test-model")
    }

    @Test func aModelHoldsExactlyTheFilesThatItsCatalogueNames() async throws {
        let folder = try TemporaryFolder()
        let server = try MisbehavingServer { .file(TestModel.tokens, for: $0) }
        defer { server.stop() }
        var model = try TestModel.entry([])
        model.files = [CatalogModel.File(path: "tokens.txt", sha256: try ContentHash.sha256(of: TestModel.tokens))]
        model.downloads = [
            .file([server.address("/tokens")], as: "tokens.txt"),
            .file([server.address("/more")], as: "config.json"),
        ]
        #expect(model.isPinned)
        let inventory = CatalogAssetInventory.quick(folder, [model])
        let thrown = await error { try await inventory.install("test-model") }
        #expect(thrown?.message.contains("“config.json”") == true, "\(String(describing: thrown))")
        #expect(await inventory.status(of: "test-model") == .supported)
    }

    @Test func aDownloadIsNotGoneOnWithForAnotherAddress() async throws {
        let folder = try TemporaryFolder()
        let (old, new) = (
            try TestArchive.tar.bytes([.file("model/old", Self.evil)]), try TestArchive.tar.bytes(TestModel.entries)
        )
        let server = try MisbehavingServer { request in
            var reply = MisbehavingServer.Reply.file(request.path == "/old" ? old : new, for: request)
            if request.path == "/half" { reply.cutAfter = 1_000 }
            return reply
        }
        defer { server.stop() }
        for (hash, way) in [(nil, "unpinned"), (try ContentHash.sha256(of: new), "pinned")] {
            // Downloaded whole, and then found not to be a model.
            let validator: InstalledModel.Validator = { _ throws(DictationError) in
                throw DictationError(.engineFailed, "Not now.", recovery: "Later.")
            }
            let before = CatalogAssetInventory.quick(
                folder, [try TestModel.entry([server.address("/old")], id: way)], validators: ["test": validator])
            #expect(await error { try await before.install(way, allowingUnpinned: true) }?.code == .engineFailed)
            #expect(isThere(folder.file("models/.staging/\(way)/0.part")))
            var model = try TestModel.entry([server.address("/new")], id: way)
            model.downloads?[0].sha256 = hash
            let inventory = CatalogAssetInventory.quick(folder, [model])
            try await inventory.install(way, allowingUnpinned: true)
            #expect(TestModel.isWhole(at: folder.file("models/" + way)))
        }
        #expect(server.requests.filter { $0.path == "/new" }.allSatisfy { $0.rangeStart == nil })
    }
}
#endif
