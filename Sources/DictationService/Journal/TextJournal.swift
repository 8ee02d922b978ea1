public import DictationCore
import DictationSystem
import DictationText
import FoundationEssentials
import Synchronization

/// Keeps the newest texts in a file, so that they outlive a crash.
///
/// Each text is a line of JSON, and is on the disk before anybody gets it. Only the user can read the file. A line that a
/// crash cut off is ignored. One service at a time writes a journal.
public final class TextJournal: Sendable {
    /// How many texts a journal keeps if nothing else is asked for.
    public static let usualLimit = 100

    /// The path of the user's journal: `dictation/journal.jsonl` in `$XDG_STATE_HOME`, usually `~/.local/state`; `nil` if
    /// the user has no home.
    public static var standardPath: String? { UserFolders.state().map { $0 + "/dictation/journal.jsonl" } }

    /// The file's path.
    public let path: String
    /// The number of texts to keep. The file may have twice as many for a while.
    public let limit: Int
    private let file: Mutex<JournalFile>
    private let work: BlockingWork

    /// Creates a journal. The first text creates the file and its folder.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - limit: The number of texts to keep.
    public init(path: String, limit: Int = usualLimit) {
        self.path = path
        self.limit = max(1, limit)
        file = Mutex(JournalFile(path: path, limit: max(1, limit)))
        work = BlockingWork("journal")
    }

    /// Returns the texts, the oldest first; none if there is no file.
    public func texts() async throws(DictationError) -> [DictatedText] {
        let lines = try await work.run { () throws(DictationError) in
            try self.file.withLock { file in Result { () throws(DictationError) in try file.lines() } }.get()
        }
        return lines.suffix(limit).compactMap { try? JSONDecoder().decode(DictatedText.self, from: Data($0)) }
    }

    /// Deletes the file with all texts.
    public func clear() async throws(DictationError) {
        try await work.run { () throws(DictationError) in
            try self.file.withLock { file in Result { () throws(DictationError) in try file.remove() } }.get()
        }
    }

    /// Adds a text, and returns once the disk has stored it.
    func append(_ text: DictatedText) async throws(DictationError) {
        let line = Array(JSONWriter.encode(text).utf8)
        try await work.run { () throws(DictationError) in
            try self.file.withLock { file in Result { () throws(DictationError) in try file.append(line) } }.get()
        }
    }
}
