import DictationCore
import DictationSystem
import FoundationEssentials

/// A file to append lines to. Appended lines survive a killed process.
struct RecordingFile: ~Copyable, Sendable {
    private let file: OpenFile

    /// Creates the file, or empties an existing file. Only the user can read it.
    init(path: String) throws(DictationError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o600)
        file = OpenFile(descriptor: descriptor, path: path)
        guard descriptor >= 0 else { throw .file("make", path, errno) }
        var info = stat()
        // A device such as /dev/null needs no protection.
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return }
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else {
            throw .file("empty", path, errno)
        }
    }

    func append(_ line: Data) throws(DictationError) { try file.write(line) }
}
