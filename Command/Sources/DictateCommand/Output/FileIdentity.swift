import Glibc

/// The identity of a file, whatever its name.
struct FileIdentity: Sendable, Hashable {
    /// Whether it is a regular file, not a device or a pipe.
    let isRegular: Bool
    private let device: dev_t
    private let inode: ino_t

    /// The file at the end of a path; `nil` when there is none.
    init?(path: String) {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        self.init(info)
    }

    /// The file behind a descriptor; `nil` when it is closed.
    init?(descriptor: Int32) {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { return nil }
        self.init(info)
    }

    private init(_ info: stat) {
        isRegular = info.st_mode & S_IFMT == S_IFREG
        (device, inode) = (info.st_dev, info.st_ino)
    }
}
