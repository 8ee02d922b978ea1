package import DictationCore
import DictationPlatform

/// A file open for reading at any place.
package final class ReadableFile: Sendable {
    package let path: String
    /// It is open while this object exists.
    package let descriptor: Int32

    package init(path: String) throws(DictationError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .file("open", path, errno) }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw DictationError(
                .fileUnreadable, "“\(path)” is not a file.", recovery: "Give the path of a file.")
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// How long the file is now; it may grow.
    package var byteCount: Int64 {
        var info = stat()
        return fstat(descriptor, &info) == 0 ? Int64(info.st_size) : 0
    }

    /// Fills as much of the memory as the file has from there on, and says how much that was.
    package func read(into bytes: UnsafeMutableRawBufferPointer, from offset: Int64) throws(DictationError) -> Int {
        var filled = 0
        while filled < bytes.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .file("read", path, errno) }
            if count == 0 { break }
            filled += count
        }
        return filled
    }
}
