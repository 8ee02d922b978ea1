#if SherpaOnnx
    import DictationCore
    import Glibc

    /// A file for the C library to read, gone with this value.
    final class TemporaryFile {
        let path: String

        init(_ text: String) throws(DictationError) {
            let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
            var template = Array((folder + "/swift-dictation-XXXXXX").utf8CString)
            let descriptor = mkstemp(&template)
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard descriptor >= 0 else { throw Self.failed(folder) }
            defer { close(descriptor) }
            var bytes = Array(text.utf8)[...]
            while !bytes.isEmpty {
                let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.failed(folder) }
                bytes = bytes.dropFirst(count)
            }
        }

        deinit { unlink(path) }

        private static func failed(_ folder: String) -> DictationError {
            let code = errno
            return DictationError(
                code == ENOSPC ? .storageFull : .engineFailed, "No temporary file can be written in \(folder).",
                recovery: "Set TMPDIR to a folder with space in it.",
                underlying: .init(domain: "write", code: Int(code), message: String(cString: strerror(code))))
        }
    }
#endif
