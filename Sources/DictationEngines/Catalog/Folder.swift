import DictationCore
import Glibc

/// A folder of the file system, whose errors say what is wrong in words.
struct Folder: Sendable, Hashable {
    let path: String

    /// libarchive has a constant of the same name as the system's.
    static let regularFile = mode_t(S_IFREG)

    init(_ path: String) { self.path = path }

    func callAsFunction(_ name: String) -> Folder { Folder(path + "/" + name) }
    func file(_ name: String) -> String { path + "/" + name }

    /// Makes the folder and those above it.
    func make() throws(DictationError) {
        if mkdir(path, 0o755) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .file("make the folder", path)
        }
        try Folder(String(path[..<slash])).make()
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw .file("make the folder", path) }
    }

    /// The names in the folder, sorted; none when it isn't there.
    var names: [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes the folder and all in it; follows no links.
    func remove() throws(DictationError) {
        for name in names {
            let child = self(name)
            if child.kind == S_IFDIR { try child.remove() } else { try Self.removeFile(child.path) }
        }
        guard rmdir(path) == 0 || errno == ENOENT else { throw .file("remove", path) }
    }

    static func removeFile(_ path: String) throws(DictationError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .file("remove", path) }
    }

    /// What is at the path, as `S_IFDIR` or `S_IFREG`; `nil` when nothing is.
    var kind: mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// The size of the file at a path; `nil` when there is no regular file.
    static func byteCount(_ path: String) -> Int64? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// Renames what is at the path, replacing a file or an empty folder there.
    static func rename(_ old: String, to new: String) throws(DictationError) {
        guard Glibc.rename(old, new) == 0 else { throw .file("rename", old) }
    }

    /// Puts on the disk what the system still holds in memory: for a folder, its names.
    func sync() throws(DictationError) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .file("open", path) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw .file("write", path) }
    }

    /// The files below the folder; throws when there is anything but files and folders.
    func files(below prefix: String = "") throws(DictationError) -> [String] {
        var found: [String] = []
        for name in names {
            let child = self(name)
            switch child.kind {
            case S_IFREG: found.append(prefix + name)
            case S_IFDIR: found += try child.files(below: prefix + name + "/")
            case nil: break
            default:
                throw DictationError(
                    .modelInvalid, "The model's folder holds '\(child.path)', which is neither a file nor a folder.",
                    recovery: "Remove the model and install it again.")
            }
        }
        return found
    }
}

/// Reading and writing whole small files.
enum SmallFile {
    static let maximumByteCount = 16 << 20

    /// The file's bytes; `nil` when it isn't there.
    static func read(_ path: String) throws(DictationError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .file("read", path)
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .file("read", path) }
            if count == 0 { return bytes }
            bytes += block[..<count]
            guard bytes.count <= maximumByteCount else {
                throw DictationError(
                    .invalidInput, "The file '\(path)' is larger than \(maximumByteCount >> 20) MB.",
                    recovery: "Check that it is the right file.")
            }
        }
    }

    /// Writes the file so that others see the old or the new bytes, never a part.
    static func write(_ bytes: [UInt8], to path: String) throws(DictationError) {
        let draft = "\(path).\(getpid()).\(UInt64.random(in: 0 ... .max))"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw .file("write", path) }
        do throws(DictationError) {
            defer { close(file) }
            let code = bytes.withUnsafeBytes { writeAll($0, to: file) }
            guard code == 0 else { throw .file("write", path, code) }
            guard fsync(file) == 0 else { throw .file("write", path) }
        } catch {
            unlink(draft)
            throw error
        }
        guard Glibc.rename(draft, path) == 0 else {
            let error = DictationError.file("write", path)
            unlink(draft)
            throw error
        }
    }

    /// Writes all of the bytes; the answer is `errno`, or 0.
    static func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Int32 {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = Glibc.write(file, start, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? EIO : errno }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return 0
    }
}

extension DictationError {
    /// What the system said when something was tried with a file.
    static func file(_ action: String, _ path: String, _ code: Int32 = errno) -> DictationError {
        let underlying = Underlying(domain: "errno", code: Int(code), message: String(cString: strerror(code)))
        switch code {
        case ENOSPC, EDQUOT, EFBIG:
            return DictationError(
                .storageFull, "There is too little space to \(action) '\(path)'.",
                recovery: "Free some space, then try again.", underlying: underlying)
        case EACCES, EPERM, EROFS:
            return DictationError(
                .fileUnreadable, "No permission to \(action) '\(path)'.",
                recovery: "Change its permissions, or choose another folder.", underlying: underlying)
        default:
            return DictationError(
                .fileUnreadable, "Can't \(action) '\(path)'.", recovery: "Check the folder and the disk.",
                underlying: underlying)
        }
    }
}
