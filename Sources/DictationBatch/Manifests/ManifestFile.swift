import DictationCore
import DictationModels
import DictationSystem

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
        var start = [UInt8](repeating: 0, count: 10)
        let count = try file.read(into: &start)
        start = Array(start.prefix(count))
        guard start.starts(with: [0x1F, 0x8B]) || start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) else {
            if let error = Self.foreign(start, path) { throw error }
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

    /// The error of a file whose lines would all be wrong.
    private static func foreign(_ start: [UInt8], _ path: String) -> DictationError? {
        func begins(_ bytes: [UInt8]) -> Bool { start.starts(with: bytes) }
        if begins([0xFF, 0xFE]) || begins([0xFE, 0xFF]) || begins([0, 0, 0xFE, 0xFF]) {
            return DictationError(
                .invalidInput, "“\(visible(path))” is text in UTF-16 or UTF-32.", recovery: "Save it in UTF-8.")
        }
        let isBzip2 =
            begins(Array("BZh".utf8)) && start.dropFirst(4).elementsEqual([0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
        let name =
            isBzip2
            ? "bzip2"
            : begins([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]) ? "xz" : begins([0x50, 0x4B, 3, 4]) ? "zip" : nil
        return name.map {
            DictationError(
                .invalidInput, "“\(visible(path))” is compressed with \($0), which is not supported.",
                recovery: "Unpack it, or compress it with gzip or zstd.")
        }
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
