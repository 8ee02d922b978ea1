import DictationCore
import Glibc

/// A file that is open for reading at any offset.
final class ReadableFile: Sendable {
    let path: String
    /// The file's descriptor. `deinit` closes it.
    let descriptor: Int32

    init(path: String) throws(DictationError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw fileError("The file “\(path)” can't be opened", errno: errno) }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw DictationError(
                .fileUnreadable, "“\(path)” is not a file.", recovery: "Give the path of an audio file.")
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The file's current size. The file may still grow.
    var byteCount: Int64 {
        var info = stat()
        return fstat(descriptor, &info) == 0 ? Int64(info.st_size) : 0
    }

    /// Fills memory with the file's bytes from an offset on.
    ///
    /// - Returns: The number of bytes read. It is less than the size of the memory only at the end of the file.
    func read(into bytes: UnsafeMutableRawBufferPointer, from offset: Int64) throws(DictationError) -> Int {
        var filled = 0
        while filled < bytes.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw fileError("The file “\(path)” can't be read", errno: errno) }
            if count == 0 { break }
            filled += count
        }
        return filled
    }
}

extension Array where Element == UInt8 {
    /// Calls a closure with the bytes and rethrows its error.
    func withBytes(_ body: (UnsafeRawBufferPointer) throws(DictationError) -> Void) throws(DictationError) {
        try withUnsafeBytes { bytes in
            Result { () throws(DictationError) in try body(bytes) }
        }.get()
    }

    /// Calls a closure with the bytes to fill and rethrows its error.
    mutating func withMutableBytes(
        _ body: (UnsafeMutableRawBufferPointer) throws(DictationError) -> Void
    ) throws(DictationError) {
        try withUnsafeMutableBytes { bytes in
            Result { () throws(DictationError) in try body(bytes) }
        }.get()
    }
}

/// Returns the error for a failed call on a file.
///
/// - Parameters:
///   - what: What failed, with the file's path.
///   - code: The value of `errno`.
func fileError(_ what: String, errno code: Int32) -> DictationError {
    let words = String(cString: strerror(code))
    let recovery: String
    switch code {
    case ENOENT: recovery = "Check the path."
    case EACCES, EPERM: recovery = "Change the permissions of the file or its folder."
    case ENOSPC, EDQUOT:
        return DictationError(
            .storageFull, "\(what): \(words).", recovery: "Free some space, or use another disk.",
            underlying: .init(domain: "errno", code: Int(code), message: words))
    default: recovery = "Check the disk that holds it."
    }
    return DictationError(
        .fileUnreadable, "\(what): \(words).", recovery: recovery,
        underlying: .init(domain: "errno", code: Int(code), message: words))
}
