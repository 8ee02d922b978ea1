import FoundationEssentials

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
        let contents = try Data(contentsOf: URL(filePath: path))
        // Made, and not written yet.
        return contents.isEmpty ? [] : try JSONDecoder().decode([Note].self, from: contents)
    }

    /// Writes all notes, in place of those before. Nobody else may read them, unless the user let them.
    public func write(_ notes: [Note]) throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: Data(), attributes: [.posixPermissions: 0o600])
        }
        try JSONEncoder().encode(notes).write(to: URL(filePath: path), options: .atomic)
    }
}
