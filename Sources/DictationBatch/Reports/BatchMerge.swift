public import DictationCore
import DictationSystem

/// Joins the results of all shards to one manifest, in the order of the batch's manifest, and reports on them.
///
/// It writes `results.jsonl`, or `supervisions.jsonl` for a manifest of Lhotse's cuts, and `report.json` and
/// `report.html`. Each file is complete or absent.
///
/// ```swift
/// let merged = try await BatchMerge(folder: "results").run()
/// print(merged.report.total.hours)
/// ```
public struct BatchMerge: Sendable {
    /// The folder of the batch's results.
    public var folder: String
    /// The key of the manifest by whose values to divide the report; `nil` for none.
    public var groupKey: String?

    /// What was written.
    public struct Outcome: Sendable {
        /// The report.
        public let report: BatchReport
        /// The path of the joined results.
        public let path: String
        /// The number of results whose items are not in the manifest any more. They were left out.
        public let leftOver: Int
        /// The number of results whose items have another recording, offset or duration in the manifest now.
        public let changed: Int
    }

    /// Creates a merge.
    public init(folder: String, groupKey: String? = nil) {
        self.folder = folder
        self.groupKey = groupKey
    }

    /// Joins the results.
    ///
    /// - Throws: `DictationError.Code.batchIncomplete` if items have no result yet; `invalidInput` if an item has two
    ///   results, or if the shards do not belong together; `cancelled` if the task is cancelled.
    public func run() async throws(DictationError) -> Outcome {
        let shards = try ResultIndex(folder)
        var report = BatchReport(shards.settings)
        let output = try MergedFile(in: folder)
        var missing = MissingItems(shards.count)
        var format: BatchManifest.Format?
        var (found, changed) = (0, 0)
        var items = BatchManifest(path: shards.settings.manifest).makeAsyncIterator()
        while let item = try await items.next() {
            if Task.isCancelled {
                throw DictationError(.cancelled, "The results were not joined.", recovery: "Try again.")
            }
            if format == nil, item.fault == nil { format = item.line?.format ?? .paths }
            guard let record = try shards.record(of: item.id) else {
                missing.add(item.id)
                continue
            }
            found += 1
            if !record.isResult(of: item, shards.settings) { changed += 1 }
            report.add(record, group: groupKey.flatMap { record.value(of: $0) ?? "–" })
            try output.write(record.line + "\n")
        }
        if let error = missing.error { throw error }
        let name = format == .lhotse ? "supervisions.jsonl" : "results.jsonl"
        try output.commit(as: name)
        try MergedFile(in: folder).commit(JSONText.encoded(report) + "\n", as: "report.json")
        try MergedFile(in: folder).commit(ReportPage(report).html, as: "report.html")
        return Outcome(
            report: report, path: folder + "/" + name, leftOver: shards.recordCount - found, changed: changed)
    }
}

extension DictationError.Code {
    /// A batch of which some items have no result yet.
    public static let batchIncomplete = DictationError.Code(rawValue: "batchIncomplete")
}

/// The items without a result, by shard.
private struct MissingItems {
    private let shardCount: Int
    private var first: String?
    private var counts: [Int: Int] = [:]

    init(_ shardCount: Int) { self.shardCount = shardCount }

    mutating func add(_ id: String) {
        first = first ?? id
        counts[BatchShard.index(of: id, count: shardCount), default: 0] += 1
    }

    var error: DictationError? {
        guard let first else { return nil }
        let count = counts.values.reduce(0, +)
        let shards = counts.keys.sorted().prefix(20).map { "\($0)/\(shardCount)" }.joined(separator: ", ")
        return DictationError(
            .batchIncomplete,
            "\(count == 1 ? "One item has" : "\(count) items have") no result yet, the first is “\(first)”.",
            recovery: "Finish the batch first: shard \(shards).")
    }
}
