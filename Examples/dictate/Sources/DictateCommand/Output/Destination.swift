import DictationCore
import Glibc

/// Where text goes.
enum Destination: Sendable, Hashable {
    case standardOutput
    case file(String)
    /// A file for each recording, named after it.
    case folder(String)

    /// What `--output` means for so many recordings.
    init(_ path: String?, sources: Int, format: OutputFormat) throws(UsageError) {
        guard let path else {
            guard sources == 1 || format.joinsSources else {
                throw UsageError(
                    "\(format.rawValue) can't hold several recordings: give a folder with --output.",
                    command: "transcribe")
            }
            self = .standardOutput
            return
        }
        var info = stat()
        let isFolder = path.hasSuffix("/") || (stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR)
        if isFolder {
            self = .folder(path)
        } else if sources > 1, !format.joinsSources {
            throw UsageError(
                "'\(path)' is not a folder, and \(format.rawValue) can't hold several recordings.",
                command: "transcribe")
        } else {
            self = .file(path)
        }
    }
}

/// A document on its way to a file: under another name until it is whole, so that a file never holds half of one.
final class OutputFile: Sendable {
    private let path: String
    private let temporary: String?
    private let stream: OutputStream

    init(path: String) throws(OutputError) {
        self.path = path
        var info = stat()
        // A device or a pipe is written as it is.
        let isSpecial = stat(path, &info) == 0 && info.st_mode & S_IFMT != S_IFREG
        if isSpecial {
            temporary = nil
        } else {
            let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
            temporary = path[..<slash] + "." + path[slash...] + ".\(getpid()).part"
        }
        if let temporary { UnfinishedFiles.add(temporary) }
        let descriptor = open(temporary ?? path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o666)
        guard descriptor >= 0 else { throw .failed(name: path, code: errno) }
        stream = OutputStream(descriptor: descriptor, name: path)
    }

    func write(_ text: String) throws(OutputError) { try stream.write(text) }

    /// Gives the file its name.
    func commit() throws(OutputError) {
        defer { close(stream.descriptor) }
        guard let temporary else { return }
        guard fsync(stream.descriptor) == 0, rename(temporary, path) == 0 else {
            let code = errno
            UnfinishedFiles.remove(temporary)
            throw .failed(name: path, code: code)
        }
        UnfinishedFiles.forget(temporary)
    }

    /// Leaves no trace.
    func discard() {
        close(stream.descriptor)
        if let temporary { UnfinishedFiles.remove(temporary) }
    }
}
