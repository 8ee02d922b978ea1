import DictationCore
import DictationFiles
import DictationPlatform

#if Batch
import CArchive
#endif

/// The bytes of a manifest, unpacked if gzip or zstd has compressed it.
final class ManifestFile {
    private let file: OpenFile
    private var start: [UInt8]
    #if Batch
    private let archive: OpaquePointer?
    #endif

    /// Opens a file. Its first bytes decide whether it is compressed, because names often do not tell.
    init(_ path: String) throws(DictationError) {
        guard let file = try OpenFile.reading(path) else { throw .missing("open", path) }
        var start = [UInt8](repeating: 0, count: 4)
        let count = try file.read(into: &start)
        start = Array(start.prefix(count))
        let isCompressed = start.starts(with: [0x1F, 0x8B]) || start == [0x28, 0xB5, 0x2F, 0xFD]
        #if Batch
        archive = isCompressed ? try Self.unpack(file) : nil
        #else
        guard !isCompressed else {
            throw DictationError(
                .notBuilt, "This build can't unpack “\(visible(path))”.",
                recovery: "Enable the “Batch” trait of swift-dictation, or unpack the file first.")
        }
        #endif
        self.file = file
        self.start = start
    }

    #if Batch
    deinit { if let archive { archive_read_free(archive) } }

    private static func unpack(_ file: borrowing OpenFile) throws(DictationError) -> OpaquePointer {
        try file.rewind()
        guard let archive = archive_read_new() else {
            throw DictationError(.engineFailed, "libarchive has no memory left.", recovery: "Close other programs.")
        }
        // The format “raw” is a single stream without names.
        archive_read_support_format_raw(archive)
        archive_read_support_filter_gzip(archive)
        archive_read_support_filter_zstd(archive)
        var entry: OpaquePointer?
        let descriptor = file.descriptor
        let code = archive_read_open_fd(archive, descriptor, 1 << 16)
        guard code == ARCHIVE_OK, archive_read_next_header(archive, &entry) == ARCHIVE_OK else {
            let error = failure(archive, file.path)
            archive_read_free(archive)
            throw error
        }
        return archive
    }

    private static func failure(_ archive: OpaquePointer, _ path: String) -> DictationError {
        DictationError(
            .fileUnreadable, "“\(visible(path))” is damaged or was cut short.",
            recovery: "Get or write the file again.",
            underlying: .init(
                domain: "libarchive", code: Int(archive_errno(archive)),
                message: archive_error_string(archive).map { visible(String(cString: $0)) }))
    }
    #endif

    /// Fills a block and returns the number of bytes; 0 at the end.
    func read(into block: inout [UInt8]) throws(DictationError) -> Int {
        #if Batch
        if let archive {
            let count = archive_read_data(archive, &block, block.count)
            guard count >= 0 else { throw Self.failure(archive, file.path) }
            return count
        }
        #endif
        guard start.isEmpty else {
            defer { start = [] }
            block.replaceSubrange(0..<start.count, with: start)
            return start.count
        }
        return try file.read(into: &block)
    }
}
