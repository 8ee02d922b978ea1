import DictationCore
import Glibc

/// A file for a C library to read, there as long as this value is.
struct TemporaryFile: ~Copyable {
    let path: String

    init(_ text: String) throws(DictationError) { path = try Self.write(text) }

    deinit { unlink(path) }

    private static func write(_ text: String) throws(DictationError) -> String {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array((folder + "/dictation-XXXXXX").utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { throw failed(errno, folder) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var code: Int32 = 0
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty, code == 0 {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { code = errno }
        }
        close(file)
        guard code == 0 else {
            unlink(path)
            throw failed(code, folder)
        }
        return path
    }

    private static func failed(_ code: Int32, _ folder: String) -> DictationError {
        DictationError(
            .storageFull, "A temporary file can't be written in \(folder).",
            recovery: "Make room there, or set TMPDIR to a folder with room.",
            underlying: .init(domain: "errno", code: Int(code), message: String(cString: strerror(code))))
    }
}
