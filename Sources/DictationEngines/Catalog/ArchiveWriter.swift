#if ModelCatalog
    import CArchive
    import DictationCore
    import Glibc

    /// Writes files into a tar.gz.
    struct ArchiveWriter: ~Copyable {
        private let archive: OpaquePointer
        private let path: String

        init(_ path: String) throws(DictationError) {
            guard let archive = archive_write_new() else {
                throw DictationError(.engineFailed, "libarchive has no memory left.", recovery: "Close other programs.")
            }
            archive_write_set_format_pax_restricted(archive)
            archive_write_add_filter_gzip(archive)
            guard archive_write_open_filename(archive, path) == ARCHIVE_OK else {
                let code = archive_errno(archive)
                archive_write_free(archive)
                throw .file("write", path, code)
            }
            self.archive = archive
            self.path = path
        }

        deinit { archive_write_free(archive) }

        func add(_ source: String, as name: String) throws(DictationError) {
            guard let byteCount = Folder.byteCount(source), let entry = archive_entry_new() else {
                throw .file("read", source)
            }
            defer { archive_entry_free(entry) }
            archive_entry_set_pathname(entry, name)
            archive_entry_set_filetype(entry, UInt32(Folder.regularFile))
            archive_entry_set_perm(entry, 0o644)
            archive_entry_set_size(entry, byteCount)
            guard archive_write_header(archive, entry) == ARCHIVE_OK else { throw failure() }
            let file = open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard file >= 0 else { throw .file("read", source) }
            defer { close(file) }
            var block = [UInt8](repeating: 0, count: 1 << 18)
            while true {
                let count = read(file, &block, block.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw .file("read", source) }
                if count == 0 { return }
                guard archive_write_data(archive, block, count) == count else { throw failure() }
            }
        }

        /// Writes what is still held back; without it the archive is not whole.
        func finish() throws(DictationError) {
            guard archive_write_close(archive) == ARCHIVE_OK else { throw failure() }
        }

        private func failure() -> DictationError { .file("write", path, archive_errno(archive)) }
    }
#endif
