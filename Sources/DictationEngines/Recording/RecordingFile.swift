import DictationCore
import DictationFiles
import DictationPlatform
import FoundationEssentials

/// A file to append lines to. Appended lines survive a killed process.
struct RecordingFile: ~Copyable, Sendable {
    private let path: String
    private let descriptor: Int32

    /// Creates the file, or empties an existing file. Only the user can read it.
    init(path: String) throws(DictationError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o600)
        self.path = path
        guard descriptor >= 0 else { throw .file("make", path, errno) }
        var info = stat()
        // A device such as /dev/null needs no protection.
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return }
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else {
            throw .file("empty", path, errno)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func append(_ line: Data) throws(DictationError) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .file("write", path, count < 0 ? errno : ENOSPC) }
            rest = rest.dropFirst(count)
        }
    }
}
