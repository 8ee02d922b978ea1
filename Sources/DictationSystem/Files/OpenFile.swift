import CSystem
package import DictationCore

/// An open file. The file closes at the end of the value's lifetime.
package struct OpenFile: ~Copyable, Sendable {
    package let handle: Descriptor
    /// The file's path for messages.
    package let path: String
    package var descriptor: Int32 { handle.number }

    package init(descriptor: Int32, path: String) {
        handle = Descriptor(descriptor)
        self.path = path
    }

    /// Opens a regular file for reading. Follows links, because the user chose the path.
    ///
    /// - Returns: The open file, or `nil` if it does not exist.
    /// - Throws: `fileUnreadable` if the file can't be opened, or is a pipe or device. Never waits for a pipe.
    package static func reading(_ path: String) throws(DictationError) -> OpenFile? {
        guard !path.utf8.contains(0) else { throw .file("read", path, EINVAL) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0, errno == ENOENT || errno == ENOTDIR { return nil }
        guard descriptor >= 0 else { throw .file("read", path, errno) }
        let file = OpenFile(descriptor: descriptor, path: path)
        try file.checkRegular()
        return file
    }

    /// Opens a regular file of the user to write at its end. Follows links of the user and of root.
    ///
    /// - Parameters:
    ///   - creating: Whether to create the file if it does not exist, for the user alone.
    ///   - user: The user whom the file must belong to.
    /// - Returns: The open file, or `nil` if it does not exist.
    /// - Throws: `permissionDenied` if the file, or a link in its place, belongs to another user. Never waits for a pipe.
    package static func appending(
        _ path: String, creating: Bool, user: UInt32
    ) throws(DictationError) -> OpenFile? {
        guard !path.utf8.contains(0) else { throw .file("write", path, EINVAL) }
        let descriptor = dictation_open_own(path, O_WRONLY | O_APPEND | (creating ? O_CREAT : 0), user)
        switch -descriptor {
        case ...0: break
        case ENOENT where !creating: return nil
        case EPERM:
            throw DictationError(
                .permissionDenied, "“\(visible(path))” belongs to another user.",
                recovery: "Give the path of a file of your own, in a folder of your own.")
        case let code: throw .file("write", path, code)
        }
        let file = OpenFile(descriptor: descriptor, path: path)
        try file.checkRegular()
        return file
    }

    func checkRegular() throws(DictationError) {
        guard status?.kind == .file else {
            throw DictationError(
                .fileUnreadable, "“\(visible(path))” is not a file.", recovery: "Give the path of a file.")
        }
    }

    package var status: FileStatus? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? FileStatus(status) : nil
    }

    /// Reads into a block, and returns the number of bytes. At the end of the file, returns 0.
    package func read(into block: inout [UInt8]) throws(DictationError) -> Int {
        var count = 0
        try block.withMutableBytes { bytes throws(DictationError) in count = try read(into: bytes) }
        return count
    }

    /// Fills as much of the memory as the file has from an offset on, and says how much that was. Without an offset, reads
    /// once.
    package func read(
        into bytes: UnsafeMutableRawBufferPointer, from offset: Int64? = nil
    ) throws(DictationError) -> Int {
        do throws(SystemError) { return try handle.read(into: bytes, from: offset) } catch {
            throw .file("read", path, error.code)
        }
    }

    /// Reads the rest of the file. Throws `invalidInput` if the rest has more than `limit` bytes.
    package func readAll(limit: Int = 16 << 20) throws(DictationError) -> [UInt8] {
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = try read(into: &block)
            if count == 0 { return bytes }
            bytes += block[..<count]
            guard bytes.count <= limit else {
                throw DictationError(
                    .invalidInput, "The file “\(visible(path))” is larger than \(limit >> 20) MB.",
                    recovery: "Check that it is the right file.")
            }
        }
    }

    /// Writes all bytes, at an offset or where the last call ended.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64? = nil) throws(DictationError) {
        do throws(SystemError) { try handle.write(bytes, at: offset) } catch {
            throw .file("write", path, error.code)
        }
    }

    /// Writes all bytes.
    package func write(_ bytes: some Sequence<UInt8>) throws(DictationError) {
        let bytes = Array(bytes)
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(DictationError) in try write(bytes) }
        }.get()
    }

    /// Moves to the beginning of the file.
    package func rewind() throws(DictationError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw .file("read", path, errno) }
    }

    /// Moves to the end of the file, and returns the file's size.
    package func goToEnd() -> Int64 { max(0, Int64(lseek(descriptor, 0, SEEK_END))) }

    /// Whether the file is empty or ends with a line feed. A file that can't be read counts as one that does.
    package var endsALine: Bool {
        var (status, last) = (stat(), UInt8(ascii: "\n"))
        guard fstat(descriptor, &status) == 0, status.st_size > 0,
            let reading = try? Self.reading("/proc/self/fd/\(descriptor)")
        else { return true }
        _ = pread(reading.descriptor, &last, 1, status.st_size - 1)
        return last == UInt8(ascii: "\n")
    }

    /// Removes all bytes and moves to the beginning of the file.
    package func empty() throws(DictationError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .file("write", path, errno) }
        try rewind()
    }

    /// Sets the time of the last change to now.
    package func touch() { futimens(descriptor, nil) }

    /// Waits until the disk has stored all bytes.
    package func sync() throws(DictationError) {
        guard fsync(descriptor) == 0 else { throw .file("write", path, errno) }
    }
}

/// The kind, size and time of change of a file or folder.
package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case file, folder, link, other }

    package let kind: Kind
    package let byteCount: Int64
    /// The time of the last change, in nanoseconds since 1970.
    package let modified: Int64

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        byteCount = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }
}
