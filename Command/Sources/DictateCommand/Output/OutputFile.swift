import Glibc

/// A file that appears under its name only when it is complete.
///
/// A link stays a link; its target is replaced. Devices and pipes are written directly. Another user's file, link or pipe is
/// refused: its owner would read the text, or choose what it replaces.
final class OutputFile: Sendable {
    /// The path as it was given.
    let path: String
    private let target: String
    private let draft: Draft
    private let stream: OutputStream

    /// Where the text is until the file is complete.
    private enum Draft: Equatable {
        /// A file without a name; nothing of it survives a killed program.
        case nameless
        /// A hidden file beside the target, on file systems without nameless files.
        case named(String)
        /// A device or a pipe is written directly.
        case none
    }

    /// `O_TMPFILE`, which glibc declares for GNU sources only.
    private static let nameless: Int32 = 0o20_000_000 | O_DIRECTORY

    init(path: String, user: uid_t = geteuid()) throws(OutputError) {
        self.path = path
        guard let target = FilePath.followingLinks(path, of: user) else { throw .belongsToAnother(name: path) }
        self.target = target
        var info = stat()
        let isThere = stat(path, &info) == 0
        let isSpecial = isThere && info.st_mode & S_IFMT != S_IFREG
        guard !isThere || Self.belongs(info, to: user) else { throw .belongsToAnother(name: path) }
        // In a folder that anyone may write to, a pipe must not be opened for creation.
        (draft, stream) =
            isSpecial ? (.none, try Self.opened(path, O_WRONLY | O_NOCTTY, path)) : try Self.draft(of: target, path)
        // The new file has the permissions of the old one.
        if isThere, !isSpecial { fchmod(stream.descriptor, info.st_mode & 0o777) }
    }

    /// Whether a user's text may go there. Devices are for all, and pipes of root are trusted.
    private static func belongs(_ file: stat, to user: uid_t) -> Bool {
        switch file.st_mode & S_IFMT {
        case S_IFREG: file.st_uid == user
        case S_IFCHR: true
        default: file.st_uid == user || file.st_uid == 0
        }
    }

    private static func draft(of target: String, _ name: String) throws(OutputError) -> (Draft, OutputStream) {
        let folder = FilePath(target).folderToOpen
        // The file gets its name through this folder.
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

    /// Whether it is a device or a pipe.
    var isSpecial: Bool { draft == .none }

    /// Whether a file of that name exists.
    var isTaken: Bool { !isSpecial && FileIdentity(path: target) != nil }

    func write(_ text: String) throws(OutputError) { try stream.write(text) }

    /// Writes the bytes of another file.
    func write(contentsOf source: String) throws(OutputError) {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw .failed(name: path, code: errno) }
        defer { close(input) }
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(input, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .failed(name: path, code: errno) }
            if count == 0 { return }
            try stream.write(block[..<count])
        }
    }

    /// Gives the file its name.
    func commit() throws(OutputError) { try commit(as: target) }

    /// Gives the file its name, or that name with the first free number, and returns the name.
    func commitSparingOthers() throws(OutputError) -> String {
        guard !isSpecial else {
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

    /// Deletes the file.
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
            // A nameless file can only take a free name; a rename then replaces the old file.
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
