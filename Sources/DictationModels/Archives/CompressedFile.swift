#if ModelCatalog || Batch
import CArchive
package import DictationCore
package import DictationSystem

/// A file that gzip or zstd has compressed, read as if it were not.
package struct CompressedFile: ~Copyable {
    private let archive: OpaquePointer
    private let file: OpenFile

    /// Reads a file from its beginning.
    package init(_ file: consuming OpenFile) throws(DictationError) {
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
            let error = Self.failure(archive, file.path)
            archive_read_free(archive)
            throw error
        }
        self.archive = archive
        self.file = file
    }

    deinit { archive_read_free(archive) }

    private static func failure(_ archive: OpaquePointer, _ path: String) -> DictationError {
        DictationError(
            .fileUnreadable, "“\(visible(path))” is damaged or was cut short.",
            recovery: "Get or write the file again.",
            underlying: .init(archive: archive))
    }

    /// Fills a block and returns the number of bytes; 0 at the end.
    package func read(into block: inout [UInt8]) throws(DictationError) -> Int {
        let count = archive_read_data(archive, &block, block.count)
        guard count >= 0 else { throw Self.failure(archive, file.path) }
        return count
    }
}
#endif
