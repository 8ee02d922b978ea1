#if ModelCatalog
import DictationCore
import DictationFiles
import FoundationEssentials
import Synchronization

/// A download on its way, in a file that a later process can go on with.
final class PartFile: TransferReceiver {
    /// What the bytes in the file are the beginning of.
    private struct Record: Codable {
        var address: String
        /// The hash that they were fetched for, where the catalogue has one.
        var sha256: String?
        var validator: String?
        var byteCount: Int64?

        /// Whether the bytes are for this download. A catalogue that has changed may mean something else by now.
        func belongs(to item: CatalogModel.Download) -> Bool {
            sha256 == item.sha256
                && (sha256 != nil || item.mirrors.contains { $0.utf8.elementsEqual(address.utf8) })
        }
    }

    private struct State {
        var offset: Int64
        var record: Record?
        var address = ""
        var received: Int64 = 0
    }

    private let folder: Folder
    private let file: OpenFile
    private let name: FileName
    private let recordName: FileName
    private let item: CatalogModel.Download
    private let limit: Int64
    private let onChange: @Sendable (_ offset: Int64, _ total: Int64?) -> Void
    private let state: Mutex<State>

    init(
        _ index: Int, of item: CatalogModel.Download, in folder: consuming Folder, limit: Int64,
        onChange: @escaping @Sendable (_ offset: Int64, _ total: Int64?) -> Void
    ) throws(DictationError) {
        name = Self.name(index)
        recordName = Self.recordName(index)
        self.folder = folder
        self.item = item
        self.limit = min(item.byteCount ?? limit, CatalogModel.Limits.most.byteCount)
        self.onChange = onChange
        file = try self.folder.openOrCreate(name)
        let record = (try? self.folder.read(recordName))
            .flatMap { try? JSONDecoder().decode(Record.self, from: Data($0)) }
            .flatMap { $0.belongs(to: item) ? $0 : nil }
        if record == nil { try file.empty() }
        state = Mutex(State(offset: file.goToEnd(), record: record))
    }

    /// The file in the staging folder that a model's download is written to.
    static func name(_ index: Int) -> FileName { FileName(numbered: index, "part") }

    /// The file that says where those bytes came from.
    private static func recordName(_ index: Int) -> FileName { FileName(numbered: index, "part.json") }

    private var expected: Int64? { item.byteCount }
    private var path: String { file.path }
    var offset: Int64 { state.withLock { $0.offset } }
    /// The bytes that came since the start, restarts and all; a stalled transfer adds none.
    var received: Int64 { state.withLock { $0.received } }
    /// Whether all of it is here, as far as the server or the catalogue said how much that is.
    var isWhole: Bool {
        state.withLock { state in
            guard let total = expected ?? state.record?.byteCount else { return false }
            return state.offset > 0 && state.offset == total
        }
    }

    /// Says what is fetched next, and where it can go on: only from the address that the first bytes came from, and
    /// only when that said how to tell whether it has changed.
    func prepare(_ address: String) -> TransferRequest.Resume? {
        state.withLock { state in
            state.address = address
            guard state.offset > 0, let record = state.record, record.address.utf8.elementsEqual(address.utf8)
            else { return nil }
            return record.validator.map { .init(offset: state.offset, validator: $0) }
        }
    }

    /// Forgets what is here.
    func discard() throws(DictationError) {
        try folder.remove(recordName)
        try restart(with: nil)
    }

    /// Puts what is here on the disk.
    func sync() throws(DictationError) {
        try file.sync()
    }

    /// The SHA-256 of what is here.
    func sha256(isCancelled: () -> Bool) throws(DictationError) -> String? {
        guard let file = try folder.open(RelativePath(name)) else { return nil }
        return try ContentHash.sha256(of: file, isCancelled: isCancelled).hash
    }

    /// Begins again, with what the server says of its answer.
    private func restart(with record: Record?) throws(DictationError) {
        let result = state.withLock { state in
            state.record = record
            state.offset = 0
            return Result { () throws(DictationError) in try file.empty() }
        }
        try result.get()
    }

    func begin(_ head: TransferHead) -> TransferFailure? {
        switch head.status {
        case 200: return startOver(head)
        case 206: return resume(head)
        case 416: return .outdated
        case 408, 425, 429, 500...599: return .interrupted("the server answered \(head.status)")
        default: return .unusable("the server answered \(head.status)")
        }
    }

    private func startOver(_ head: TransferHead) -> TransferFailure? {
        let total = head.headers["content-length"].flatMap { Int64($0) }
        if let failure = checkTotal(total) { return failure }
        let record = Record(
            address: state.withLock { $0.address }, sha256: item.sha256, validator: head.validator, byteCount: total
        )
        do throws(DictationError) {
            try restart(with: record)
            // Written only now: until then the old record must not speak for new bytes, nor the new one for old bytes.
            guard let bytes = try? JSONEncoder().encode(record) else { return nil }
            try folder.write(bytes, to: recordName)
        } catch { return .storage(error) }
        onChange(0, expected ?? total)
        return nil
    }

    private func resume(_ head: TransferHead) -> TransferFailure? {
        guard let range = head.contentRange, range.start == offset else { return .outdated }
        if let failure = checkTotal(range.total) { return failure }
        let known = state.withLock { $0.record?.byteCount }
        if let known, let total = range.total, known != total { return .outdated }
        return nil
    }

    private func checkTotal(_ total: Int64?) -> TransferFailure? {
        guard let total else { return nil }
        if let expected, total != expected {
            return .wrongContent("it has \(total) bytes, and the catalogue says \(expected)")
        }
        return total > limit ? .wrongContent("it has \(total) bytes, more than the limit of \(limit)") : nil
    }

    func take(_ bytes: UnsafeRawBufferPointer) -> TransferFailure? {
        let outcome = state.withLock { state -> (failure: TransferFailure?, offset: Int64, total: Int64?) in
            let total = expected ?? state.record?.byteCount
            guard state.offset + Int64(bytes.count) <= limit else {
                return (.wrongContent("it has more than \(limit) bytes"), state.offset, total)
            }
            do throws(DictationError) { try file.write(bytes) } catch {
                // What did fit stays, so the record and the file agree on where to go on.
                state.offset = max(state.offset, file.goToEnd())
                return (.storage(error), state.offset, total)
            }
            state.offset += Int64(bytes.count)
            state.received += Int64(bytes.count)
            return (nil, state.offset, total)
        }
        if outcome.failure == nil { onChange(outcome.offset, outcome.total) }
        return outcome.failure
    }
}

extension TransferHead {
    /// What tells this version of the content from another; a weak `ETag` promises too little.
    fileprivate var validator: String? {
        if let tag = headers["etag"], !tag.hasPrefix("W/"), !tag.isEmpty { return tag }
        return headers["last-modified"]
    }

    /// `bytes 100-199/200` as its start and total.
    fileprivate var contentRange: (start: Int64, total: Int64?)? {
        guard let text = headers["content-range"], text.hasPrefix("bytes ") else { return nil }
        // Not a path: a range and a size in HTTP.
        let parts = text.dropFirst("bytes ".count).split(separator: "/")
        guard parts.count == 2, let start = parts[0].split(separator: "-").first.flatMap({ Int64($0) }) else {
            return nil
        }
        return (start, Int64(parts[1]))
    }
}
#endif
