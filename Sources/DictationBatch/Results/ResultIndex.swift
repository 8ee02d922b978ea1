import DictationCore
import DictationSystem

/// The results of all shards, found by their items' names. Memory use is about 64 bytes for each.
final class ResultIndex {
    /// The settings of the batch.
    let settings: BatchSettings
    /// The number of shards.
    let count: Int
    private let files: [ReadableFile]
    private let places: [UInt128: Place]

    private struct Place {
        var file: Int32
        var length: Int32
        var start: Int64
        var hasFailed: Bool
    }

    /// Reads the files of results in a folder.
    ///
    /// - Throws: `invalidInput` if there are none, if they do not belong together, or if an item has two results.
    init(_ path: String) throws(DictationError) {
        guard let folder = try Folder.existing(path) else { throw .missing("open", path) }
        let found = try folder.names().compactMap { name in
            BatchShard(resultFile: name).map { (name: name.text, shard: $0) }
        }
        guard let first = found.first else {
            throw DictationError(
                .invalidInput, "“\(visible(path))” has no results.",
                recovery: "Name the folder of a batch's results.")
        }
        guard found.allSatisfy({ $0.shard.count == first.shard.count }) else {
            throw DictationError(
                .invalidInput,
                "“\(visible(path))” has results of batches with different numbers of shards: \(found.map(\.shard.description).joined(separator: ", ")).",
                recovery: "Keep the files of one batch only.")
        }
        var settings: BatchSettings?
        var files: [ReadableFile] = []
        var places: [UInt128: Place] = [:]
        for (name, _) in found {
            let file = path + "/" + name
            guard let open = try OpenFile.reading(file) else { continue }
            var doubled: String?
            let own = try ResultReader(file).read(from: open) { record, place in
                let new = Place(
                    file: Int32(files.count), length: Int32(clamping: place.upperBound - place.lowerBound),
                    start: place.lowerBound, hasFailed: record.error != nil)
                // An item that failed may have been tried again.
                if places.updateValue(new, forKey: NameSet.hash(record.id))?.hasFailed == false {
                    doubled = doubled ?? record.id
                }
            }
            if let doubled {
                throw DictationError(
                    .invalidInput, "The item “\(doubled)” has two results.",
                    recovery: "Keep the files of one batch only.")
            }
            guard let own else { continue }
            let changes = settings.map { own.changes(since: $0) } ?? []
            guard changes.isEmpty else {
                throw DictationError(
                    .invalidInput, "“\(name)” was made with other settings: \(changes.joined(separator: " "))",
                    recovery: "Make it again with the same settings.")
            }
            settings = own
            files.append(try ReadableFile(path: file))
        }
        guard let settings else {
            throw DictationError(
                .batchIncomplete, "“\(visible(path))” has no results yet.", recovery: "Finish the batch first.")
        }
        self.settings = settings
        count = first.shard.count
        self.files = files
        self.places = places
    }

    /// The number of results.
    var recordCount: Int { places.count }

    /// Returns the record of an item; `nil` if it has none.
    func record(of id: String) throws(DictationError) -> BatchRecord? {
        guard let place = places[NameSet.hash(id)] else { return nil }
        let file = files[Int(place.file)]
        var line = [UInt8](repeating: 0, count: Int(place.length))
        try line.withMutableBytes { bytes throws(DictationError) in _ = try file.read(into: bytes, from: place.start) }
        return BatchRecord(json: line)
    }
}
