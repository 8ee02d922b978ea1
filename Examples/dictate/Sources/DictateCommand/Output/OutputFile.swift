import Glibc

/// A document on its way to a file: under another name until it is whole, so that a file never holds half of one.
///
/// A link stays one: what it leads to is replaced. A device or a pipe is written as it is.
final class OutputFile: Sendable {
    /// The path as it was given.
    let path: String
    private let target: String
    private let draft: Draft
    private let stream: OutputStream

    /// What a document is until it is whole.
    private enum Draft: Equatable {
        /// A file without a name, of which nothing stays when the program is killed.
        case nameless
        /// A file beside the target, where files without a name can't be had.
        case named(String)
        /// A device or a pipe, which is written as it is.
        case none
    }

    /// `O_TMPFILE`, which glibc declares for GNU sources only.
    private static let nameless: Int32 = 0o20_000_000 | O_DIRECTORY

    init(path: String) throws(OutputError) {
        self.path = path
        target = FilePath.followingLinks(path)
        var info = stat()
        let isThere = stat(path, &info) == 0
        let isSpecial = isThere && info.st_mode & S_IFMT != S_IFREG
        // Where anyone may write, a pipe must not be opened as if it were to be made.
        (draft, stream) =
            isSpecial ? (.none, try Self.opened(path, O_WRONLY | O_NOCTTY, path)) : try Self.draft(of: target, path)
        // Who may read the last one may read this one, and no one else.
        if isThere, !isSpecial { fchmod(stream.descriptor, info.st_mode & 0o777) }
    }

    private static func draft(of target: String, _ name: String) throws(OutputError) -> (Draft, OutputStream) {
        let folder = FilePath(target).folderToOpen
        // It is given its name through this folder.
        if access("/proc/self/fd", X_OK) == 0, let stream = try? opened(folder, nameless | O_WRONLY, name) {
            return (.nameless, stream)
        }
        let path = FilePath(target).unfinished
        UnfinishedFiles.add(path)
        do throws(OutputError) {
            return (.named(path), try opened(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, name))
        } catch {
            UnfinishedFiles.forget(path)
            throw error
        }
    }

    private static func opened(_ path: String, _ flags: Int32, _ name: String) throws(OutputError) -> OutputStream {
        let descriptor = open(path, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .failed(name: name, code: errno) }
        return OutputStream(descriptor: descriptor, name: name)
    }

    /// Whether there is a file of that name already.
    var isTaken: Bool { draft != .none && FileIdentity(path: target) != nil }

    func write(_ text: String) throws(OutputError) { try stream.write(text) }

    /// Gives the file its name.
    func commit() throws(OutputError) { try commit(as: target) }

    /// Gives the file its name or, where that is taken, the first one with a number that isn't; says which.
    func commitSparingOthers() throws(OutputError) -> String {
        guard draft != .none else {
            try commit()
            return path
        }
        var number = 1
        while true {
            let name = FilePath(target).numbered(number)
            let claim = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
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
        if case .named(let path) = draft { UnfinishedFiles.remove(path) }
    }

    private func commit(as name: String) throws(OutputError) {
        defer { close(stream.descriptor) }
        let whole: String
        switch draft {
        case .none: return
        case .named(let path): whole = path
        case .nameless:
            // A file without a name can take a free one alone; that of another file it gets by a rename.
            whole = FilePath(name).unfinished
            UnfinishedFiles.add(whole)
        }
        guard fsync(stream.descriptor) == 0, draft != .nameless || giveName(whole), rename(whole, name) == 0 else {
            let code = errno
            UnfinishedFiles.remove(whole)
            throw .failed(name: path, code: code)
        }
        UnfinishedFiles.forget(whole)
    }

    private func giveName(_ name: String) -> Bool {
        linkat(AT_FDCWD, "/proc/self/fd/\(stream.descriptor)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0
    }
}
