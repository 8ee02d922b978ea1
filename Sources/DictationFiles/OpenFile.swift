package import DictationCore
import DictationPlatform

/// An open file. The file closes at the end of the value's lifetime.
package struct OpenFile: ~Copyable, Sendable {
    package let descriptor: Int32
    /// The file's path for messages.
    package let path: String

    package init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

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
        while true {
            let count = Glibc.read(descriptor, &block, block.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw .file("read", path, errno) }
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

    /// Writes all bytes.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(DictationError) {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = Glibc.write(descriptor, start, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .file("write", path, count == 0 ? EIO : errno) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
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
