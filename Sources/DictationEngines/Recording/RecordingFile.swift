import DictationCore
import FoundationEssentials
import Glibc

/// A file that lines are added to. What was added is there even when the process is killed right after.
struct RecordingFile: ~Copyable, Sendable {
    private let path: String
    private let descriptor: Int32

    /// Makes the file, or empties the one that is there.
    init(path: String) throws(DictationError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.error("can't be made", path, errno) }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    func append(_ line: Data) throws(DictationError) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.error("can't be written", path, count < 0 ? errno : ENOSPC) }
            rest = rest.dropFirst(count)
        }
    }

    private static func error(_ what: String, _ path: String, _ number: Int32) -> DictationError {
        let isFull = number == ENOSPC || number == EDQUOT
        return DictationError(
            isFull ? .storageFull : .fileUnreadable, "The recording '\(path)' \(what).",
            recovery: isFull ? "Make room on the disk." : "Check the path and its permissions.",
            underlying: .init(domain: "errno", code: Int(number), message: String(cString: strerror(number))))
    }
}
