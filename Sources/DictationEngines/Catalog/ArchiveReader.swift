#if ModelCatalog
    import CArchive
    import DictationCore
    import Glibc

    /// Unpacks an archive into a folder: regular files and folders below it, up to the limits, and nothing else.
    struct ArchiveReader: ~Copyable {
        private let archive: OpaquePointer
        private let path: String

        /// Opens a tar, tar.gz, tar.bz2 or zip; what it is shows in its bytes.
        init(_ path: String) throws(DictationError) {
            guard let archive = archive_read_new() else {
                throw DictationError(.engineFailed, "libarchive has no memory left.", recovery: "Close other programs.")
            }
            archive_read_support_format_tar(archive)
            archive_read_support_format_gnutar(archive)
            archive_read_support_format_zip_seekable(archive)
            archive_read_support_filter_gzip(archive)
            archive_read_support_filter_bzip2(archive)
            guard archive_read_open_filename(archive, path, 1 << 16) == ARCHIVE_OK else {
                let error = Self.failure(of: archive, path)
                archive_read_free(archive)
                throw error
            }
            self.archive = archive
            self.path = path
        }

        deinit { archive_read_free(archive) }

        /// What unpacking has given so far, over all archives of a model.
        struct Tally {
            var limits: CatalogModel.Limits
            var byteCount: Int64 = 0
            var fileCount = 0
        }

        /// Unpacks what lies below a folder of the archive and is wanted.
        func unpack(
            below root: ModelPath?, into target: Folder, tally: inout Tally, wanting isWanted: (ModelPath) -> Bool,
            isCancelled: () -> Bool
        ) throws(DictationError) {
            while let entry = try next() {
                if isCancelled() { throw .installationCancelled }
                guard let name = archive_entry_pathname(entry).map({ String(cString: $0) }) else {
                    throw refusal("has an entry without a name")
                }
                try checkKind(of: entry, name)
                if Self.isRoot(name) { continue }
                guard let place = ModelPath(name) else {
                    throw refusal("has the entry '\(name)', which leads out of its folder")
                }
                tally.fileCount += 1
                guard tally.fileCount <= tally.limits.fileCount else {
                    throw refusal("holds more than \(tally.limits.fileCount) files")
                }
                guard let inside = place.below(root), archive_entry_filetype(entry) == S_IFREG, isWanted(inside)
                else { continue }
                if inside.text == ModelReceipt.name { continue }
                try write(entry, to: inside, in: target, tally: &tally)
            }
        }

        /// The bytes of the archive's first file; `nil` when there is none, or it is larger than the limit.
        func firstFile(limit: Int) throws(DictationError) -> [UInt8]? {
            guard let entry = try next(), archive_entry_filetype(entry) == S_IFREG else { return nil }
            var bytes: [UInt8] = []
            var block = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = archive_read_data(archive, &block, block.count)
                guard count >= 0 else { throw Self.failure(of: archive, path) }
                if count == 0 { return bytes }
                bytes += block[..<count]
                guard bytes.count <= limit else { return nil }
            }
        }

        private func next() throws(DictationError) -> OpaquePointer? {
            var entry: OpaquePointer?
            switch archive_read_next_header(archive, &entry) {
            case ARCHIVE_OK: return entry
            case ARCHIVE_EOF: return nil
            default: throw Self.failure(of: archive, path)
            }
        }

        /// Links and devices could lead out of the folder, and no model needs one.
        private func checkKind(of entry: OpaquePointer, _ name: String) throws(DictationError) {
            if archive_entry_hardlink(entry) != nil { throw refusal("has a hard link, '\(name)'") }
            switch archive_entry_filetype(entry) {
            case S_IFREG, S_IFDIR: return
            case S_IFLNK: throw refusal("has a symbolic link, '\(name)'")
            default: throw refusal("has '\(name)', which is neither a file nor a folder")
            }
        }

        /// `./`, which tar writes for the folder itself.
        private static func isRoot(_ name: String) -> Bool {
            !name.hasPrefix("/") && name.split(separator: "/").allSatisfy { $0 == "." }
        }

        private func write(
            _ entry: OpaquePointer, to place: ModelPath, in target: Folder, tally: inout Tally
        ) throws(DictationError) {
            try Folder(target.path + place.components.dropLast().map { "/" + $0 }.joined()).make()
            let path = target.file(place.text)
            // Exclusive: an archive that names a file twice would otherwise decide which one is checked.
            let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
            guard file >= 0 else {
                if errno == EEXIST || errno == ENOTDIR || errno == EISDIR {
                    throw refusal("names '\(place.text)' twice")
                }
                throw .file("write", path)
            }
            defer { close(file) }
            var block = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = archive_read_data(archive, &block, block.count)
                guard count >= 0 else { throw Self.failure(of: archive, self.path) }
                if count == 0 { return }
                tally.byteCount += Int64(count)
                guard tally.byteCount <= tally.limits.byteCount else {
                    throw refusal("unpacks to more than \(tally.limits.byteCount) bytes")
                }
                let code = block.withUnsafeBytes {
                    SmallFile.writeAll(UnsafeRawBufferPointer(rebasing: $0[..<count]), to: file)
                }
                guard code == 0 else { throw .file("write", path, code) }
            }
        }

        private func refusal(_ what: String) -> DictationError {
            DictationError(
                .modelInvalid, "The archive '\(path)' \(what); nothing of it is used.",
                recovery: "Get it from a source that you trust, and tell its publisher.")
        }

        private static func failure(of archive: OpaquePointer, _ path: String) -> DictationError {
            DictationError(
                .modelInvalid, "The archive '\(path)' is damaged or of an unknown kind.",
                recovery: "Get it again; tar, tar.gz, tar.bz2 and zip can be read.",
                underlying: .init(
                    domain: "libarchive", code: Int(archive_errno(archive)),
                    message: archive_error_string(archive).map { String(cString: $0) }))
        }
    }
#endif
