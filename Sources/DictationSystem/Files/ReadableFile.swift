package import DictationCore

/// A file open for reading at any place.
package final class ReadableFile: Sendable {
    private let file: OpenFile

    package init(path: String) throws(DictationError) {
        guard let file = try OpenFile.reading(path) else { throw .file("open", path, ENOENT) }
        self.file = file
    }

    /// Takes over the descriptor of an open file.
    package init(descriptor: Int32, path: String) throws(DictationError) {
        file = OpenFile(descriptor: descriptor, path: path)
        try file.checkRegular()
    }

    package var path: String { file.path }
    /// It is open while this object exists.
    package var descriptor: Int32 { file.descriptor }

    /// How long the file is now; it may grow.
    package var byteCount: Int64 { file.status?.byteCount ?? 0 }

    /// Fills as much of the memory as the file has from there on, and says how much that was.
    package func read(into bytes: UnsafeMutableRawBufferPointer, from offset: Int64) throws(DictationError) -> Int {
        try file.read(into: bytes, from: offset)
    }
}
