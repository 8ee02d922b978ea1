public import DictationCore
import DictationFiles
import FoundationEssentials
import Synchronization

/// Keeps takes as WAV files: a folder for each take, a file for each stretch of audio without a hole, and a journal of
/// where they lie.
///
/// Every write leaves whole files behind, so that a take outlives a killed process, up to its last buffer.
public struct WaveSpool: AudioSpool {
    private let folder: String
    private let work: BlockingWork
    private let byteLimit: Int64

    /// Makes a spool in a folder, which is made when it is first needed.
    public init(folder: String) {
        // A file ends well before the four bytes of its size run out.
        self.init(folder: folder, byteLimit: 1 << 30)
    }

    /// Makes a spool whose files end once they have so many bytes.
    package init(folder: String, byteLimit: Int64) {
        self.folder = folder
        self.byteLimit = byteLimit
        work = BlockingWork("spool")
    }

    /// Begins to keep a new take.
    public func makeWriter() async throws(DictationError) -> any AudioSpoolWriter {
        try await work.run { () throws(DictationError) in
            // The time only makes the names sort by age; the random part makes them differ.
            let digits = String(UInt64(min(max(0, Date.now.timeIntervalSince1970), 1e10) * 1e9))
            let id =
                String(repeating: "0", count: max(0, 20 - digits.count)) + digits + "-"
                + String(UInt32.random(in: .min ... .max), radix: 16)
            // Nobody else may enter it, whatever the umask.
            _ = try Folder.making(folder, .own).makeFolder(try name(id), .own)
            return WaveSpoolWriter(id: id, take: try WaveSpoolTake(in: path(id), byteLimit: byteLimit), work: work)
        }
    }

    /// The takes that are kept, the oldest first.
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

    /// The take's buffers and gaps, where they lay when they were captured. Throws `alreadyRunning` while somebody, in
    /// this process or another, still writes it.
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
        return CaptureStream { () throws(DictationError) in try await work.run(next) }
    }

    /// Deletes a take. Throws `alreadyRunning` while somebody, in this process or another, still writes it.
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
            throw DictationError(.invalidInput, "“\(id)” is not a take.", recovery: "Use an id that `takes()` gave.")
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
