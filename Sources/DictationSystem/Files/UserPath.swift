package import DictationCore

/// A file's path from the user, split into the file's open folder and its name in the folder.
package struct UserPath: ~Copyable, Sendable {
    package let folder: Folder
    package let name: FileName

    /// Creates the path of a file, not of a link that leads to it, and its folder if it does not exist.
    ///
    /// - Throws: `fileUnreadable` for a link that leads to no file.
    package init(followingLinksOf path: String) throws(DictationError) {
        var target = path
        if let real = realpath(path, nil) {
            target = String(cString: real)
            free(real)
        } else {
            var status = stat()
            guard lstat(path, &status) != 0 else {
                throw DictationError(
                    .fileUnreadable, "“\(visible(path))” is a link that leads to no file.",
                    recovery: "Make the file that it leads to, or remove the link.")
            }
        }
        _ = try Folder.making(PathBytes(target).folderToOpen)
        try self.init(target)
    }

    package init(_ path: String) throws(DictationError) {
        let above = PathBytes(path).folderToOpen
        let bytes = Array(path.utf8)
        guard let name = try? FileName(anySpelling: bytes[(bytes.lastIndex(of: 0x2F).map { $0 + 1 } ?? 0)...]) else {
            throw DictationError(
                .invalidInput, "The path “\(visible(path))” has no file name.", recovery: "Give the path of a file.")
        }
        guard let folder = try Folder.existing(above) else { throw .file("open", above, ENOENT) }
        self.folder = folder
        self.name = name
    }
}
