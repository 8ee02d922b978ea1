import DictationCore
import DictationFiles
import Glibc

/// A file for a C library to read. It has no name: nothing of it stays, however the process ends.
struct TemporaryFile: ~Copyable {
    private let descriptor: Int32

    /// The path that it can be opened by as long as this value is there.
    var path: String { "/proc/self/fd/\(descriptor)" }

    init(_ text: String) throws(DictationError) { descriptor = try Self.write(text) }

    deinit { close(descriptor) }

    private static func write(_ text: String) throws(DictationError) -> Int32 {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let name = folder + "/" + FileName(randomAfter: "dictation-").text
        let file = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failed(errno, folder) }
        unlink(name)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = errno
                close(file)
                throw failed(code, folder)
            }
            rest = rest.dropFirst(count)
        }
        return file
    }

    private static func failed(_ code: Int32, _ folder: String) -> DictationError {
        DictationError(
            .storageFull, "A temporary file can't be written in \(folder).",
            recovery: "Make room there, or set TMPDIR to a folder with room.",
            underlying: .init(domain: "errno", code: Int(code), message: String(cString: strerror(code))))
    }
}
