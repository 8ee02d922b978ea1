#if ModelCatalog
import DictationCore
import DictationSystem
import DictationWeb
import FoundationEssentials
import Synchronization

/// A file with the bytes of an unfinished download, which a later process can continue.
final class PartFile: TransferReceiver {
    /// The source of the bytes in the file.
    private struct Record: Codable {
        var address: String
        /// The hash that the catalog gave for the download; `nil` if it gave none.
        var sha256: String?
        var validator: String?
        var byteCount: Int64?

        /// Returns whether the bytes belong to this download. A changed catalog may mean other content.
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

    /// Returns the name of the file for a download's bytes, in the staging folder.
    static func name(_ index: Int) -> FileName { FileName(numbered: index, "part") }

    /// Returns the name of the file with the record of those bytes.
    private static func recordName(_ index: Int) -> FileName { FileName(numbered: index, "part.json") }

    private var expected: Int64? { item.byteCount }
    private var path: String { file.path }
    var offset: Int64 { state.withLock { $0.offset } }
    /// The number of bytes received in this process, including bytes that were discarded later.
    var received: Int64 { state.withLock { $0.received } }
    /// Whether all bytes have arrived. Always `false` if neither the catalog nor the server gave the size.
    var isWhole: Bool {
        state.withLock { state in
            guard let total = expected ?? state.record?.byteCount else { return false }
            return state.offset > 0 && state.offset == total
        }
    }

    /// Sets the address of the next transfer, and returns where it can resume.
    ///
    /// - Returns: The point to resume from, or `nil` to start over. Only bytes from the same address, with a validator,
    ///   can be resumed.
    func prepare(_ address: String) -> TransferRequest.Resume? {
        state.withLock { state in
            state.address = address
            guard state.offset > 0, let record = state.record, record.address.utf8.elementsEqual(address.utf8)
            else { return nil }
            return record.validator.map { .init(offset: state.offset, validator: $0) }
        }
    }

    /// Discards the received bytes and their record.
    func discard() throws(DictationError) {
        try folder.remove(recordName)
        try restart(with: nil)
    }

    /// Syncs the received bytes to the disk.
    func sync() throws(DictationError) {
        try file.sync()
    }

    /// Returns the SHA-256 of the received bytes.
    func sha256(isCancelled: () -> Bool) throws(DictationError) -> String? {
        guard let file = try folder.open(RelativePath(name)) else { return nil }
        return try ContentHash.sha256(of: file, isCancelled: isCancelled).hash
    }

    /// Empties the file, and sets the record of the bytes that follow.
    private func restart(with record: Record?) throws(DictationError) {
        let result = state.withLock { state in
            state.record = record
            state.offset = 0
            return Result { () throws(DictationError) in try file.empty() }
        }
        try result.get()
    }

    func begin(_ head: WebHead) -> TransferFailure? {
        switch head.status {
        case 200: return startOver(head)
        case 206: return resume(head)
        case 416: return .outdated
        case 408, 425, 429, 500...599: return .interrupted("the server answered \(head.status)")
        default: return .unusable("the server answered \(head.status)")
        }
    }

    private func startOver(_ head: WebHead) -> TransferFailure? {
        let total = head.headers["content-length"].flatMap { Int64($0) }
        if let failure = checkTotal(total) { return failure }
        let record = Record(
            address: state.withLock { $0.address }, sha256: item.sha256, validator: head.validator, byteCount: total
        )
        do throws(DictationError) {
            try restart(with: record)
            // Written after the file is empty, so that no record describes bytes of another source.
            guard let bytes = try? JSONEncoder().encode(record) else { return nil }
            try folder.write(bytes, to: recordName)
        } catch { return .storage(error) }
        onChange(0, expected ?? total)
        return nil
    }

    private func resume(_ head: WebHead) -> TransferFailure? {
        guard let range = head.contentRange, range.start == offset else { return .outdated }
        if let failure = checkTotal(range.total) { return failure }
        let known = state.withLock { $0.record?.byteCount }
        if let known, let total = range.total, known != total { return .outdated }
        return nil
    }

    private func checkTotal(_ total: Int64?) -> TransferFailure? {
        guard let total else { return nil }
        if let expected, total != expected {
            return .wrongContent("it has \(total) bytes instead of \(expected)")
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
                // Part of the bytes may have been written. The offset must match the file.
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

extension WebHead {
    /// The header that identifies this version of the content. A weak `ETag` does not promise identical bytes.
    fileprivate var validator: String? {
        if let tag = headers["etag"], !tag.hasPrefix("W/"), !tag.isEmpty { return tag }
        return headers["last-modified"]
    }

    /// The start and total of a `Content-Range` header, such as `bytes 100-199/200`.
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
