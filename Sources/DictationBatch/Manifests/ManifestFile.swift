import DictationCore
import DictationFiles
import DictationModels
import DictationPlatform

/// The bytes of a manifest, unpacked if gzip or zstd has compressed it.
final class ManifestFile {
    private enum Source: ~Copyable {
        case plain(OpenFile)
        #if Batch
        case compressed(CompressedFile)
        #endif
    }

    private let source: Source
    private var start: [UInt8]

    /// Opens a file. Its first bytes decide whether it is compressed, because names often do not tell.
    init(_ path: String) throws(DictationError) {
        guard let file = try OpenFile.reading(path) else { throw .missing("open", path) }
        var start = [UInt8](repeating: 0, count: 4)
        let count = try file.read(into: &start)
        start = Array(start.prefix(count))
        guard start.starts(with: [0x1F, 0x8B]) || start == [0x28, 0xB5, 0x2F, 0xFD] else {
            source = .plain(file)
            self.start = start
            return
        }
        #if Batch
        source = .compressed(try CompressedFile(file))
        self.start = []
        #else
        throw DictationError(
            .notBuilt, "This build can't unpack “\(visible(path))”.",
            recovery: "Enable the “Batch” trait of swift-dictation, or unpack the file first.")
        #endif
    }

    /// Fills a block and returns the number of bytes; 0 at the end.
    func read(into block: inout [UInt8]) throws(DictationError) -> Int {
        guard start.isEmpty else {
            defer { start = [] }
            block.replaceSubrange(0..<start.count, with: start)
            return start.count
        }
        switch source {
        case .plain(let file): return try file.read(into: &block)
        #if Batch
        case .compressed(let file): return try file.read(into: &block)
        #endif
        }
    }
}
