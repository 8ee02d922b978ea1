public import DictationCore
import DictationSystem
import Synchronization

/// The results of one shard: a file to which each result adds a line.
///
/// The first line has the settings of the batch. A process that is killed leaves at most a torn last line, which the next
/// one cuts off. Only one process at a time can have the file open.
public final class ResultFile: Sendable {
    /// The names of the items that had a result when the file was opened, apart from those that are tried again.
    public let finished: FinishedItems
    /// Where the file is.
    public let path: String
    private let file: Mutex<LockedFile>

    /// Opens the file of a shard in a folder, which is created if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The folder of the batch's results.
    ///   - shard: The shard.
    ///   - settings: The settings of the batch.
    ///   - resumes: Whether to go on with results that exist.
    ///   - retriesFailed: Whether the items that failed count as not finished. The result of another try replaces the
    ///     failure.
    /// - Throws: `alreadyRunning` if another process works on the shard; `invalidInput` if results exist and `resumes` is
    ///   `false`, or if they have other settings.
    public init(
        folder path: String, shard: BatchShard, settings: BatchSettings, resumes: Bool, retriesFailed: Bool = false
    ) throws(DictationError) {
        let name = Self.name(of: shard)
        self.path = path + "/" + name.text
        let folder = try Folder.making(path)
        // The items of another division lie in other shards, and would be done twice.
        let others = try folder.names().compactMap { BatchShard(resultFile: $0) }
        if let other = others.first(where: { $0.count != shard.count }) {
            throw DictationError(
                .invalidInput,
                "“\(visible(path))” has results of a batch that is divided by \(other.count), not by \(shard.count).",
                recovery: "Use the same number of shards, or choose another folder.")
        }
        if others.isEmpty, let other = Self.written.first(where: { folder.status(of: $0) != nil }) {
            throw DictationError(
                .invalidInput, "“\(visible(path))” has a file “\(other.text)”, which this batch would replace.",
                recovery: "Choose another folder, or move the file away.")
        }
        guard var locked = LockedFile(try folder.openOrCreate(name)) else {
            throw DictationError(
                .alreadyRunning, "Another process works on shard \(shard) in “\(visible(path))”.",
                recovery: "Wait until it has ended.")
        }
        let reader = ResultReader(self.path)
        var finished = FinishedItems()
        if locked.file.status?.byteCount ?? 0 > 0 {
            let earlier = try reader.read(from: locked.file) { record, _ in finished.insert(record) }
            if let earlier {
                guard resumes else {
                    throw DictationError(
                        .invalidInput, "“\(visible(path))” already has results of shard \(shard).",
                        recovery: "Go on with these results, or choose another folder.")
                }
                let changes = settings.changes(since: earlier)
                guard changes.isEmpty else {
                    throw DictationError(
                        .invalidInput,
                        "The batch in “\(visible(path))” began otherwise: \(changes.joined(separator: " "))",
                        recovery: "Use the earlier settings, or choose another folder.")
                }
            }
            try locked.cut(to: reader.end)
        }
        if reader.end == 0 { try locked.append(Self.header(settings)) }
        try folder.sync()
        if retriesFailed { finished.forgetFailures() }
        self.finished = finished
        file = Mutex(locked)
    }

    static func name(of shard: BatchShard) -> FileName {
        (try? FileName("results-\(shard.index)-of-\(shard.count).jsonl")) ?? FileName(fixed: "results.jsonl")
    }

    /// The files that a batch writes into its folder besides the results of its shards.
    private static let written = [
        FileName(fixed: "results.jsonl"), FileName(fixed: "supervisions.jsonl"), FileName(fixed: "report.json"),
        FileName(fixed: "report.html"), FileName(fixed: "manifest"),
    ]

    static func header(_ settings: BatchSettings) -> String { "{\"settings\": \(JSONText.encoded(settings))}" }

    /// Adds a result. If that fails, the file stays as it was.
    public func append(_ record: BatchRecord) throws(DictationError) {
        let line = record.json
        try file.withLock { locked in
            Result { () throws(DictationError) in try locked.append(line) }
        }.get()
    }

    /// Waits until the disk has stored the results, so that they survive a power failure.
    public func sync() throws(DictationError) {
        try file.withLock { locked in
            Result { () throws(DictationError) in try locked.file.sync() }
        }.get()
    }
}

/// A file that no other process and no other part of this one has locked.
private struct LockedFile: ~Copyable, Sendable {
    let file: OpenFile
    /// Where the last whole line ends.
    private var end: Int64 = 0

    /// Locks a file; `nil` if somebody else has locked it.
    init?(_ file: consuming OpenFile) {
        guard file.handle.lock() == 0 else { return nil }
        self.file = file
    }

    /// Adds a line. A line that the disk has no room for leaves nothing behind.
    mutating func append(_ line: String) throws(DictationError) {
        let bytes = Array((line + "\n").utf8)
        do throws(DictationError) { try file.write(bytes) } catch {
            try? cut(to: end)
            throw error
        }
        end += Int64(bytes.count)
    }

    /// Removes all bytes after a place, and goes on there.
    mutating func cut(to end: Int64) throws(DictationError) {
        guard ftruncate(file.descriptor, off_t(end)) == 0 else { throw .file("write", file.path, errno) }
        self.end = file.goToEnd()
    }

    deinit { file.handle.unlock() }
}

extension BatchShard {
    /// The shard of a file of results, by its name; `nil` for another file.
    init?(resultFile name: FileName) {
        let parts = name.text.split { $0 == "-" || $0 == "." }
        guard parts.count == 5, parts[0] == "results", parts[2] == "of", parts[4] == "jsonl", let index = Int(parts[1]),
            let count = Int(parts[3]), let shard = try? BatchShard(index, of: count),
            ResultFile.name(of: shard) == name
        else { return nil }
        self = shard
    }
}

extension ResultFile {
    /// The names of items that have a result, and how many failed. Memory use is 32 bytes for each.
    public struct FinishedItems: Sendable {
        /// The items that became text.
        private var names = NameSet()
        private var lengthOfTexts = Duration.zero
        /// The lengths of the items that failed, by the hashes of their names.
        private var failures: [UInt128: Duration] = [:]

        /// Creates an empty set.
        public init() {}

        /// The number of items.
        public var count: Int { names.count + failures.count }
        /// The number of items that failed.
        public var failed: Int { failures.count }
        /// The length of all audio.
        public var duration: Duration { failures.values.reduce(lengthOfTexts, +) }

        /// Whether the item with this name has a result.
        public func contains(_ id: String) -> Bool { names.contains(id) || failures[NameSet.hash(id)] != nil }

        mutating func insert(_ record: BatchRecord) {
            let hash = NameSet.hash(record.id)
            if record.error != nil {
                if !contains(record.id) { failures[hash] = record.duration }
            } else if names.insert(record.id) {
                failures[hash] = nil
                lengthOfTexts += record.duration
            }
        }

        mutating func forgetFailures() { failures = [:] }
    }
}
