#if ModelCatalog
    import DictationCore
    import FoundationEssentials
    import Glibc
    import Synchronization

    /// A download on its way, in a file that a later process can go on with.
    final class PartFile: TransferReceiver {
        /// What the bytes in the file are the beginning of.
        private struct Record: Codable {
            var address: String
            var validator: String?
            var byteCount: Int64?
        }

        private struct State {
            var file: Int32
            var offset: Int64
            var record: Record?
            var address = ""
            var received: Int64 = 0
        }

        let path: String
        private let expected: Int64?
        private let limit: Int64
        private let onChange: @Sendable (_ offset: Int64, _ total: Int64?) -> Void
        private let state: Mutex<State>

        init(
            _ path: String, expected: Int64?, limit: Int64,
            onChange: @escaping @Sendable (_ offset: Int64, _ total: Int64?) -> Void
        ) throws(DictationError) {
            self.path = path
            self.expected = expected
            self.limit = expected ?? limit
            self.onChange = onChange
            let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
            guard file >= 0 else { throw .file("write", path) }
            let record = (try? SmallFile.read(path + ".json")).flatMap { bytes in
                bytes.flatMap { try? JSONDecoder().decode(Record.self, from: Data($0)) }
            }
            let offset = record == nil ? 0 : Int64(lseek(file, 0, SEEK_END))
            state = Mutex(State(file: file, offset: max(0, offset), record: record))
        }

        deinit { state.withLock { _ = close($0.file) } }

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
                guard state.offset > 0, let record = state.record, record.address == address else { return nil }
                return record.validator.map { .init(offset: state.offset, validator: $0) }
            }
        }

        /// Forgets what is here.
        func discard() throws(DictationError) {
            try Folder.removeFile(path + ".json")
            let code = state.withLock { state in
                state.record = nil
                return Self.rewind(&state)
            }
            guard code == 0 else { throw .file("write", path, code) }
        }

        /// Puts what is here on the disk.
        func sync() throws(DictationError) {
            let code = state.withLock { fsync($0.file) == 0 ? 0 : errno }
            guard code == 0 else { throw .file("write", path, code) }
        }

        func begin(_ head: TransferHead) -> TransferFailure? {
            switch head.status {
            case 200: return beginAnew(head)
            case 206: return goOn(head)
            case 416: return .outdated
            case 408, 425, 429, 500...599: return .interrupted("the server answered \(head.status)")
            default: return .unusable("the server answered \(head.status)")
            }
        }

        private func beginAnew(_ head: TransferHead) -> TransferFailure? {
            let total = head.headers["content-length"].flatMap { Int64($0) }
            if let failure = checkTotal(total) { return failure }
            let record = Record(address: state.withLock { $0.address }, validator: head.validator, byteCount: total)
            let code = state.withLock { state in
                state.record = record
                return Self.rewind(&state)
            }
            guard code == 0 else { return .storage(.file("write", path, code)) }
            // Written only now: until then the old record must not speak for new bytes, nor the new one for old bytes.
            do throws(DictationError) {
                guard let bytes = try? JSONEncoder().encode(record) else { return nil }
                try SmallFile.write(Array(bytes), to: path + ".json")
            } catch { return .storage(error) }
            onChange(0, expected ?? total)
            return nil
        }

        private func goOn(_ head: TransferHead) -> TransferFailure? {
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
                let code = SmallFile.writeAll(bytes, to: state.file)
                guard code == 0 else {
                    // What did fit stays, so the record and the file agree on where to go on.
                    state.offset = max(state.offset, Int64(lseek(state.file, 0, SEEK_END)))
                    return (.storage(.file("write", path, code)), state.offset, total)
                }
                state.offset += Int64(bytes.count)
                state.received += Int64(bytes.count)
                return (nil, state.offset, total)
            }
            if outcome.failure == nil { onChange(outcome.offset, outcome.total) }
            return outcome.failure
        }

        private static func rewind(_ state: inout State) -> Int32 {
            state.offset = 0
            return ftruncate(state.file, 0) == 0 && lseek(state.file, 0, SEEK_SET) == 0 ? 0 : errno
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
            let parts = text.dropFirst("bytes ".count).split(separator: "/")
            guard parts.count == 2, let start = parts[0].split(separator: "-").first.flatMap({ Int64($0) }) else {
                return nil
            }
            return (start, Int64(parts[1]))
        }
    }
#endif
