import DictationCore
import DictationSystem
import FoundationEssentials

/// The list of the pieces of a spooled take, with one JSON line per piece. The line is written before the piece's
/// audio.
struct SpoolJournal {
    /// One line of the journal.
    enum Entry: Codable {
        /// Audio without gaps and in one format. The file's length is the audio's length.
        case segment(file: String, start: Duration)
        case gap(AudioGap)
        /// The take was closed.
        case end
    }

    static let fileName = "journal.jsonl"

    /// Returns the lines of a journal up to the first incomplete line.
    static func entries(at path: String) throws(DictationError) -> [Entry] {
        let file = try ReadableFile(path: path)
        var bytes = [UInt8](repeating: 0, count: Int(clamping: min(file.byteCount, 1 << 28)))
        try bytes.withMutableBytes { raw throws(DictationError) in _ = try file.read(into: raw, from: 0) }
        var entries: [Entry] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line)) else { break }
            entries.append(entry)
        }
        return entries
    }

    /// Throws `alreadyRunning` while a writer still has the take open. A process that ends closes its takes.
    static func checkIsClosed(in folder: String) throws(DictationError) {
        guard WritableFile.isLocked(folder + "/" + fileName) else { return }
        throw DictationError(
            .alreadyRunning, "The take in “\(folder)” is still being recorded.",
            recovery: "Wait until the recording has stopped.")
    }

    private let file: WritableFile
    private var byteCount: Int64 = 0

    init(in folder: String) throws(DictationError) {
        file = try WritableFile(creating: folder + "/" + Self.fileName)
        file.lock()
    }

    mutating func append(_ entry: Entry) throws(DictationError) {
        guard var line = try? [UInt8](JSONEncoder().encode(entry)) else {
            throw DictationError(.invalidInput, "The journal of the take can't store \(entry).")
        }
        line.append(UInt8(ascii: "\n"))
        let end = byteCount
        try line.withBytes { bytes throws(DictationError) in try file.append(bytes, at: end) }
        byteCount += Int64(line.count)
    }

    /// Notes that the audio from now on is not in the take.
    func markIncomplete() { file.markIncomplete() }

    /// Returns whether the audio of a take ended before the take.
    static func isIncomplete(in folder: String) -> Bool { WritableFile.isIncomplete(folder + "/" + fileName) }

    func close() {
        file.sync()
        file.unlock()
    }
}
