package import DictationCore
import DictationPlatform

/// A file's path from the user, split into the file's open folder and its name in the folder.
package struct UserPath: ~Copyable, Sendable {
    package let folder: Folder
    package let name: FileName

    package init(_ path: String) throws(DictationError) {
        let bytes = Array(path.utf8)
        let slash = bytes.lastIndex(of: 0x2F)
        let above = slash.map { $0 == 0 ? "/" : String(decoding: bytes[..<$0], as: UTF8.self) } ?? "."
        guard let name = try? FileName(anySpelling: bytes[(slash.map { $0 + 1 } ?? 0)...]) else {
            throw DictationError(
                .invalidInput, "The path “\(visible(path))” has no file name.", recovery: "Give the path of a file.")
        }
        guard let folder = try Folder.existing(above) else { throw .file("open", above, ENOENT) }
        self.folder = folder
        self.name = name
    }
}
