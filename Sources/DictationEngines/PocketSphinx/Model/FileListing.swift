import DictationCore
import Glibc

/// Reads folders and whole files.
enum FileListing {
    /// The names in a folder, in order.
    static func names(in folder: String) throws(DictationError) -> [String] {
        guard let directory = opendir(folder) else { throw unreadable(folder) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Whether a path is a regular file that can be read.
    static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, R_OK) == 0
    }

    /// What a file was when it was looked at: a change of it changes this, for it moves `ctime`, which nobody can set back.
    static func stamp(of path: String) -> [Int64] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        return [
            Int64(bitPattern: UInt64(status.st_dev)), Int64(bitPattern: UInt64(status.st_ino)), Int64(status.st_size),
            Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
            Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
        ]
    }

    /// A file's bytes.
    static func contents(of path: String, limit: Int = 2_000_000_000) throws(DictationError) -> [UInt8] {
        guard isFile(path) else { throw unreadable(path) }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_size <= limit else {
            throw DictationError(
                .fileUnreadable, "The file '\(path)' is larger than such a file can be.", recovery: "Replace it.")
        }
        let size = Int(status.st_size)
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let got = read(file, buffer.baseAddress.map { $0 + count }, size - count)
                if got <= 0 { break }
                count += got
            }
        }
        guard bytes.count == size else { throw unreadable(path) }
        return bytes
    }

    /// The part of a path after its last slash.
    static func lastName(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    private static func unreadable(_ path: String) -> DictationError {
        let code = errno
        return DictationError(
            .fileUnreadable, "'\(path)' can't be read.", recovery: "Check that it is there and may be read.",
            underlying: .init(domain: "errno", code: Int(code), message: String(cString: strerror(code))))
    }
}
