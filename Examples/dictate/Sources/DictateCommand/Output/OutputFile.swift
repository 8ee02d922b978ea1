import Glibc

/// A document on its way to a file: under another name until it is whole, so that a file never holds half of one.
///
/// A link stays one: what it leads to is replaced. A device or a pipe is written as it is.
final class OutputFile: Sendable {
    /// The path as it was given.
    let path: String
    private let target: String
    private let temporary: String?
    private let stream: OutputStream

    init(path: String) throws(OutputError) {
        self.path = path
        target = FilePath.followingLinks(path)
        var info = stat()
        let isThere = stat(path, &info) == 0
        let isSpecial = isThere && info.st_mode & S_IFMT != S_IFREG
        temporary = isSpecial ? nil : FilePath(target).unfinished
        if let temporary { UnfinishedFiles.add(temporary) }
        // Where anyone may write, a pipe must not be opened as if it were to be made.
        let flags = isSpecial ? O_WRONLY : O_WRONLY | O_CREAT | O_TRUNC
        let descriptor = open(temporary ?? path, flags | O_CLOEXEC | O_NOCTTY, 0o666)
        guard descriptor >= 0 else { throw .failed(name: path, code: errno) }
        // Who may read the last one may read this one, and no one else.
        if isThere, !isSpecial { fchmod(descriptor, info.st_mode & 0o777) }
        stream = OutputStream(descriptor: descriptor, name: path)
    }

    /// Whether there is a file of that name already.
    var isTaken: Bool { temporary != nil && FileIdentity(path: target) != nil }

    func write(_ text: String) throws(OutputError) { try stream.write(text) }

    /// Gives the file its name.
    func commit() throws(OutputError) { try commit(as: target) }

    /// Gives the file its name or, where that is taken, the first one with a number that isn't; says which.
    func commitSparingOthers() throws(OutputError) -> String {
        guard temporary != nil else {
            try commit()
            return path
        }
        var number = 1
        while true {
            let name = FilePath(target).numbered(number)
            let claim = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if claim >= 0 {
                close(claim)
                do throws(OutputError) { try commit(as: name) } catch {
                    unlink(name)
                    throw error
                }
                return number == 1 ? path : name
            }
            guard errno == EEXIST, number < 10_000 else {
                let code = errno
                discard()
                throw .failed(name: name, code: code)
            }
            number += 1
        }
    }

    /// Leaves no trace.
    func discard() {
        close(stream.descriptor)
        if let temporary { UnfinishedFiles.remove(temporary) }
    }

    private func commit(as name: String) throws(OutputError) {
        defer { close(stream.descriptor) }
        guard let temporary else { return }
        guard fsync(stream.descriptor) == 0, rename(temporary, name) == 0 else {
            let code = errno
            UnfinishedFiles.remove(temporary)
            throw .failed(name: path, code: code)
        }
        UnfinishedFiles.forget(temporary)
    }
}
