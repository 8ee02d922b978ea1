import FoundationEssentials
import Glibc

/// A note that was saved.
public struct Note: Codable, Hashable, Sendable {
    /// What was dictated.
    public var text: String

    /// Makes a note.
    public init(_ text: String) { self.text = text }
}

/// Where notes are kept.
public struct NoteFile: Sendable {
    private let path: String

    /// Makes a place for notes; the file need not be there yet.
    public init(path: String) { self.path = path }

    /// The notes that were written last, or none.
    public func read() throws -> [Note] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try JSONDecoder().decode([Note].self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// Writes all notes, in place of those before. Nobody else may read them.
    public func write(_ notes: [Note]) throws {
        let contents = try JSONEncoder().encode(notes)
        // Private while it is still empty, and in the place of the last one once it is whole.
        let draft = path + "." + UUID().uuidString
        defer { unlink(draft) }
        _ = FileManager.default.createFile(atPath: draft, contents: nil, attributes: [.posixPermissions: 0o600])
        try contents.write(to: URL(filePath: draft))
        guard rename(draft, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
