#if SherpaOnnx
import DictationCore
import DictationPlatform

/// One of a model's files. It is read through a small window, because most of it is weights that no check reads.
final class OnnxBytes {
    let path: String
    let size: Int
    private let descriptor: Int32
    private var window: [UInt8] = []
    private var windowStart = 0
    /// The bytes of text that may still be read. The limit keeps a bad file from taking more memory than a good one.
    private var bytesOfText = 4 << 20
    /// The number of fields that may still be read. The limit keeps a bad file from taking more time than a good one.
    private var fields = 2_000_000

    init(at path: String) throws(DictationError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            throw DictationError(
                code == ENOENT ? .modelNotInstalled : .modelInvalid, "The model file \(path) can't be opened.",
                recovery: "Install all files of the model, and make them readable for this user.",
                underlying: .init(domain: "open", code: Int(code), message: String(cString: strerror(code))))
        }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        size = isFile ? Int(status.st_size) : 0
        guard size > 0 else { throw damaged(isFile ? "it is empty" : "it is not a file") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func damaged(_ reason: String) -> DictationError {
        DictationError(
            .modelInvalid, "The model file \(path) can't be used: \(reason).",
            recovery: "Install the model again, with all files from one source.")
    }

    func byte(at offset: Int) throws(DictationError) -> UInt8 {
        if !(windowStart..<(windowStart + window.count)).contains(offset) {
            window = try bytes(offset..<min(size, offset + 4_096))
            windowStart = offset
        }
        guard let byte = window.dropFirst(offset - windowStart).first else { throw damaged("it is cut short") }
        return byte
    }

    func bytes(_ range: Range<Int>) throws(DictationError) -> [UInt8] {
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            while count < range.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let got = pread(descriptor, rest.baseAddress, range.count - count, range.lowerBound + count)
                if got > 0 { count += got } else if got == 0 || errno != EINTR { break }
            }
        }
        guard bytes.count == range.count else { throw damaged("it can't be read to its end") }
        return bytes
    }

    /// Counts a field. Throws when the file has too many.
    func countField() throws(DictationError) {
        fields -= 1
        guard fields >= 0 else { throw damaged("it has more parts than a model needs") }
    }

    /// Reads a short text, such as a name.
    func text(_ range: Range<Int>) throws(DictationError) -> String {
        guard range.count <= 1 << 16 else { throw damaged("a name in it is too long") }
        bytesOfText -= range.count
        guard bytesOfText >= 0 else { throw damaged("it has more text than a model needs") }
        return String(decoding: try bytes(range), as: UTF8.self)
    }
}
#endif
