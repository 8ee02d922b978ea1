package import DictationCore

/// Reads folders and whole files.
package enum FileListing {
    /// Returns the names in a folder, in order.
    package static func names(in folder: String) throws(DictationError) -> [String] {
        guard let open = try Folder.existing(folder) else {
            throw .file("open the folder", folder, hasFile(folder) ? ENOTDIR : ENOENT)
        }
        return try open.names().map(\.text)
    }

    /// Whether a path is a regular file that can be read.
    package static func isFile(_ path: String) -> Bool {
        hasFile(path) && access(path, R_OK) == 0
    }

    /// Whether a path is a regular file, even if this user can't read it.
    package static func hasFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Returns numbers that identify a file and its contents; empty when there is no file. Every change to the file
    /// changes the numbers, because it moves `ctime`, which no program can set back.
    package static func stamp(of path: String) -> [Int64] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        return [
            Int64(bitPattern: UInt64(status.st_dev)), Int64(bitPattern: UInt64(status.st_ino)), Int64(status.st_size),
            Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
            Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
        ]
    }

    /// Returns a file's bytes.
    package static func contents(of path: String, limit: Int = 2_000_000_000) throws(DictationError) -> [UInt8] {
        // Opening refuses a pipe or a device and never waits for it.
        guard let file = try OpenFile.reading(path) else { throw .missing("read", path) }
        guard (file.status?.byteCount ?? 0) <= Int64(limit) else {
            throw DictationError(
                .fileUnreadable, "The file “\(path)” is larger than \(limit) bytes.", recovery: "Replace it.")
        }
        return try file.readAll(limit: limit)
    }
}
