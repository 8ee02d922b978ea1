import DictationCore
import DictationSystem

/// A file that gets its name when it is complete. Until then it is a hidden file beside it, because many file systems of
/// clusters have no files without a name.
final class MergedFile {
    private let folder: Folder
    private let file: OpenFile
    private let draft = FileName(randomAfter: MergedFile.prefix)
    private static let prefix: StaticString = ".merge-"
    private var waiting: [UInt8] = []
    private var isDone = false

    init(in path: String) throws(DictationError) {
        let folder = try Folder.making(path)
        Self.removeLeftovers(in: folder)
        file = try folder.create(draft)
        _ = file.handle.lock()
        self.folder = folder
    }

    deinit { if !isDone { try? folder.remove(draft) } }

    /// Removes the drafts of killed processes. A process that lives has locked its draft.
    private static func removeLeftovers(in folder: borrowing Folder) {
        let names = (try? folder.names()) ?? []
        for name in names where name.bytes.starts(with: prefix.withUTF8Buffer(Array.init)) {
            do throws(DictationError) {
                guard let file = try folder.open(RelativePath(name)) else { continue }
                if file.handle.lock() == 0 { try folder.remove(name) }
            } catch {}
        }
    }

    func write(_ text: String) throws(DictationError) {
        waiting += text.utf8
        if waiting.count > 1 << 16 { try flush() }
    }

    func commit(_ text: String = "", as name: String) throws(DictationError) {
        try write(text)
        try flush()
        try file.sync()
        guard let name = try? FileName(name) else { throw .file("write", name, EINVAL) }
        try folder.rename(draft, to: name, in: folder)
        isDone = true
        try folder.sync()
    }

    private func flush() throws(DictationError) {
        try file.write(waiting)
        waiting = []
    }
}
