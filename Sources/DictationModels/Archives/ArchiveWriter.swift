#if ModelCatalog
import CArchive
import DictationCore
import DictationSystem

/// Writes files into a tar.gz archive.
struct ArchiveWriter: ~Copyable {
    private let archive: OpaquePointer
    private let file: OpenFile
    private let locale = ArchiveLocale()

    init(_ file: consuming OpenFile) throws(DictationError) {
        archive = try Self.open(file)
        self.file = file
    }

    private static func open(_ file: borrowing OpenFile) throws(DictationError) -> OpaquePointer {
        guard let archive = archive_write_new() else {
            throw DictationError(.engineFailed, "libarchive has no memory left.", recovery: "Close other programs.")
        }
        archive_write_set_format_pax_restricted(archive)
        archive_write_add_filter_gzip(archive)
        guard archive_write_open_fd(archive, file.descriptor) == ARCHIVE_OK else {
            let code = archive_errno(archive)
            archive_write_free(archive)
            throw .file("write", file.path, code)
        }
        return archive
    }

    deinit { archive_write_free(archive) }

    func add(_ source: borrowing OpenFile, as path: RelativePath, isCancelled: () -> Bool) throws(DictationError) {
        guard let byteCount = source.status?.byteCount, let entry = archive_entry_new() else { throw failure() }
        defer { archive_entry_free(entry) }
        archive_entry_set_filetype(entry, 0o100_000)
        archive_entry_set_perm(entry, 0o644)
        archive_entry_set_size(entry, byteCount)
        let code = locale {
            archive_entry_set_pathname(entry, path.text)
            return archive_write_header(archive, entry)
        }
        guard code == ARCHIVE_OK else { throw failure() }
        var block = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            if isCancelled() { throw .installationCancelled }
            let count = try source.read(into: &block)
            if count == 0 { return }
            guard archive_write_data(archive, block, count) == count else { throw failure() }
        }
    }

    /// Writes the buffered rest of the archive and syncs it to the disk. Without this call the archive is incomplete.
    func finish() throws(DictationError) {
        guard archive_write_close(archive) == ARCHIVE_OK else { throw failure() }
        try file.sync()
    }

    private func failure() -> DictationError { .file("write", file.path, archive_errno(archive)) }
}
#endif
