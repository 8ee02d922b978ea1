import FoundationEssentials
import Glibc

/// A saved note.
public struct Note: Codable, Hashable, Sendable {
    /// The dictated text.
    public var text: String

    /// Creates a note.
    public init(_ text: String) { self.text = text }
}

/// The file with all saved notes.
public struct NoteFile: Sendable {
    private let path: String

    /// Creates a value for the file at a path. The file need not exist yet.
    public init(path: String) { self.path = path }

    /// Returns the saved notes, or none when the file does not exist.
    public func read() throws -> [Note] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try JSONDecoder().decode([Note].self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// Replaces the saved notes. Only the user can read the file.
    public func write(_ notes: [Note]) throws {
        let contents = try JSONEncoder().encode(notes)
        // The new file is private before it has any text, and replaces the old file only when it is complete.
        let draft = path + "." + UUID().uuidString
        defer { unlink(draft) }
        _ = FileManager.default.createFile(atPath: draft, contents: nil, attributes: [.posixPermissions: 0o600])
        try contents.write(to: URL(filePath: draft))
        guard rename(draft, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
