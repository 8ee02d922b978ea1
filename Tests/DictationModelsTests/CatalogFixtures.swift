#if ModelCatalog
import CArchive
import DictationCore
import DictationSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictationModels

extension TemporaryFolder {
    var store: ModelStore { ModelStore(folder: file("models")) }
}

extension ModelCatalog.Edition {
    /// Valid as long as anyone runs these tests.
    static let test = ModelCatalog.Edition(serial: 1, expires: .max)
}

/// An entry of an archive, wholesome or not.
enum TestEntry: Sendable {
    case file(String, [UInt8])
    case folder(String)
    case symbolicLink(String, to: String)
    case hardLink(String, to: String)
    case device(String)
    case pipe(String)
}

enum TestArchive: String, CaseIterable, Sendable {
    case tar, tarGzip, tarBzip2, zip, ustar, gnutar

    func bytes(_ entries: [TestEntry], compressedAgain times: Int = 0) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = folder.file("archive")
        let archive = try #require(archive_write_new())
        switch self {
        case .tar: archive_write_set_format_pax_restricted(archive)
        case .tarGzip:
            archive_write_set_format_pax_restricted(archive)
            archive_write_add_filter_gzip(archive)
        case .tarBzip2:
            archive_write_set_format_pax_restricted(archive)
            archive_write_add_filter_bzip2(archive)
        case .zip: archive_write_set_format_zip(archive)
        case .ustar: archive_write_set_format_ustar(archive)
        case .gnutar: archive_write_set_format_gnutar(archive)
        }
        for _ in 0..<times { archive_write_add_filter_gzip(archive) }
        try #require(archive_write_open_filename(archive, path) == ARCHIVE_OK)
        for entry in entries { try add(entry, to: archive) }
        archive_write_close(archive)
        archive_write_free(archive)
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private func add(_ item: TestEntry, to archive: OpaquePointer) throws {
        let entry = try #require(archive_entry_new())
        defer { archive_entry_free(entry) }
        archive_entry_set_perm(entry, 0o644)
        archive_entry_set_size(entry, 0)
        var content: [UInt8] = []
        switch item {
        case .file(let name, let bytes):
            archive_entry_set_pathname(entry, name)
            archive_entry_set_filetype(entry, 0o100000)
            archive_entry_set_size(entry, Int64(bytes.count))
            content = bytes
        case .folder(let name):
            archive_entry_set_pathname(entry, name)
            archive_entry_set_filetype(entry, 0o040000)
        case .symbolicLink(let name, let target):
            archive_entry_set_pathname(entry, name)
            archive_entry_set_filetype(entry, 0o120000)
            archive_entry_set_symlink(entry, target)
        case .hardLink(let name, let target):
            archive_entry_set_pathname(entry, name)
            archive_entry_set_filetype(entry, 0o100000)
            archive_entry_set_hardlink(entry, target)
        case .device(let name):
            archive_entry_set_pathname(entry, name)
            archive_entry_set_filetype(entry, 0o020000)
            archive_entry_set_rdevmajor(entry, 1)
            archive_entry_set_rdevminor(entry, 5)
        case .pipe(let name):
            archive_entry_set_pathname(entry, name)
            archive_entry_set_filetype(entry, 0o010000)
        }
        let locale = ArchiveLocale()
        try #require(locale { archive_write_header(archive, entry) } == ARCHIVE_OK)
        if !content.isEmpty { try #require(archive_write_data(archive, content, content.count) == content.count) }
    }
}

/// A small model that looks like a real one.
enum TestModel {
    static let weights = pseudorandomBytes(300_000, seed: 7)
    static let tokens = Array("<blk> 0\nHELLO 1\n".utf8)
    static let entries: [TestEntry] = [
        .folder("model"), .file("model/tokens.txt", tokens), .file("model/weights.onnx", weights),
    ]

    static func pseudorandomBytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = seed
        return (0..<count).map { _ in
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: random >> 33)
        }
    }

    /// A catalogue's entry for an archive at some addresses.
    static func entry(
        _ addresses: [String], archive: [UInt8]? = nil, id: String = "test-model",
        limits: CatalogModel.Limits? = nil, byteCount: Int64? = nil
    ) throws -> CatalogModel {
        CatalogModel(
            id: id, engine: "test", locales: ["en-US"], name: "Test", byteCount: byteCount,
            downloads: [
                .archive(
                    addresses, root: "model", sha256: try archive.map { try ContentHash.sha256(of: $0) },
                    byteCount: archive.map { Int64($0.count) })
            ], limits: limits)
    }

    static func isWhole(at path: String) -> Bool {
        FileManager.default.contents(atPath: path + "/weights.onnx").map(Array.init) == weights
            && FileManager.default.contents(atPath: path + "/tokens.txt").map(Array.init) == tokens
    }
}

extension CatalogAssetInventory {
    /// An inventory that waits only moments between its tries.
    static func quick(
        _ folder: TemporaryFolder, _ models: [CatalogModel], validators: [EngineID: InstalledModel.Validator] = [:],
        sizeLimit: Int64? = nil, stallTimeout: Duration = .seconds(1), pip: Pip = Pip()
    ) -> CatalogAssetInventory {
        var downloads = DownloadOptions()
        downloads.maximumRounds = 3
        downloads.backOff = BackOff(first: .milliseconds(5), longest: .milliseconds(20))
        downloads.stallTimeout = stallTimeout
        downloads.minimumBytesPerStallTimeout = 64
        return CatalogAssetInventory(
            store: folder.store, catalogs: [ModelCatalog(name: "Test", models: models)], validators: validators,
            sizeLimit: sizeLimit, downloads: downloads, transport: WebTransport(), pip: pip)
    }

    func install(_ id: ModelAsset.ID, allowingUnpinned: Bool = false) async throws {
        let request = try await installation(of: id, allowingUnpinned: allowingUnpinned)
        try await #require(request).install()
    }
}
#endif
