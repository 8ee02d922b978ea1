public import DictationCore
import DictationSystem
import FoundationEssentials
import Synchronization

/// Saves the audio of takes as WAV files.
///
/// Each take has its own folder, with one file for each piece of audio without gaps and a journal that lists the
/// pieces. The files are complete after every write, so a killed process loses at most the buffer that it was writing.
public struct WaveSpool: AudioSpool {
    private let folder: String
    private let work: BlockingWork
    private let byteLimit: Int64

    /// Creates a spool that saves takes in a folder.
    ///
    /// - Parameter folder: The folder's path. The first take creates the folder if it does not exist.
    public init(folder: String) {
        // A WAV file holds its size in four bytes; the limit stays far below.
        self.init(folder: folder, byteLimit: 1 << 30)
    }

    /// Creates a spool that begins a new file once a file has `byteLimit` bytes.
    package init(folder: String, byteLimit: Int64) {
        self.folder = folder
        self.byteLimit = byteLimit
        work = BlockingWork("spool")
    }

    /// Begins a new take.
    ///
    /// - Throws: `fileUnreadable` or `storageFull` if the take's files can't be created.
    public func makeWriter() async throws(DictationError) -> any AudioSpoolWriter {
        try await work.run { () throws(DictationError) in
            // With the time, the names sort by age. With the random number, no two names are equal.
            let digits = String(UInt64(min(max(0, Date.now.timeIntervalSince1970), 1e10) * 1e9))
            let id =
                String(repeating: "0", count: max(0, 20 - digits.count)) + digits + "-"
                + String(UInt32.random(in: .min ... .max), radix: 16)
            // No other user may enter the folder, whatever the umask.
            _ = try Folder.making(folder, .own).makeFolder(try name(id), .own)
            return WaveSpoolWriter(id: id, take: try WaveSpoolTake(in: path(id), byteLimit: byteLimit), work: work)
        }
    }

    /// Returns the saved takes, the oldest first. Takes that were never closed are included.
    public func takes() async throws(DictationError) -> [SpooledTake] {
        try await work.run { () throws(DictationError) in
            guard let folder = try? Folder.existing(folder) else { return [] }
            return ((try? folder.names()) ?? []).map(\.text).compactMap { id in
                guard let pieces = try? SpooledPiece.all(in: path(id)) else { return nil }
                return SpooledTake(
                    id: id, duration: pieces.pieces.last?.end ?? .zero, isComplete: pieces.isComplete)
            }
        }
    }

    /// Returns a stream of a take's buffers and gaps, at the times at which they were captured.
    ///
    /// - Parameter id: The take's identifier, from ``takes()`` or from the take's writer.
    /// - Throws: `alreadyRunning` while this process or another still writes the take; `fileUnreadable` if the take
    ///   does not exist or its journal is damaged.
    public func read(_ id: SpooledTake.ID) async throws(DictationError) -> CaptureStream {
        let path = path(try name(id).text)
        let pieces = try await work.run { () throws(DictationError) in
            try SpoolJournal.checkIsClosed(in: path)
            return try SpooledPiece.all(in: path).pieces
        }
        let reading = Mutex(SpoolReading(pieces))
        let work = work
        let next = { @Sendable () throws(DictationError) in
            try reading.withLock { $0.next() }.get()
        }
        return CaptureStream { { () throws(DictationError) in try await work.run(next) } }
    }

    /// Deletes a take. If the take does not exist, does nothing.
    ///
    /// - Parameter id: The take's identifier, from ``takes()`` or from the take's writer.
    /// - Throws: `alreadyRunning` while this process or another still writes the take.
    public func discard(_ id: SpooledTake.ID) async throws(DictationError) {
        let name = try name(id)
        try await work.run { () throws(DictationError) in
            guard let folder = try Folder.existing(folder), folder.status(of: name) != nil else { return }
            try SpoolJournal.checkIsClosed(in: path(id))
            try folder.remove(name)
        }
    }

    private func path(_ id: SpooledTake.ID) -> String { folder + "/" + id }

    private func name(_ id: SpooledTake.ID) throws(DictationError) -> FileName {
        guard let name = try? FileName(id), name.bytes.first != UInt8(ascii: ".") else {
            throw DictationError(.invalidInput, "“\(id)” is not a take's id.", recovery: "Use an id from `takes()`.")
        }
        return name
    }
}

/// Writes one take, on the spool's thread.
private final class WaveSpoolWriter: AudioSpoolWriter {
    let id: SpooledTake.ID
    private let take: Mutex<WaveSpoolTake>
    private let work: BlockingWork

    init(id: SpooledTake.ID, take: WaveSpoolTake, work: BlockingWork) {
        self.id = id
        self.take = Mutex(take)
        self.work = work
    }

    func append(_ event: CaptureEvent) async throws(DictationError) {
        try await work.run { () throws(DictationError) in
            try self.take.withLock { $0.append(event) }.get()
        }
    }

    func close() async throws(DictationError) {
        try await work.run { () throws(DictationError) in try self.take.withLock { $0.close() }.get() }
    }
}
