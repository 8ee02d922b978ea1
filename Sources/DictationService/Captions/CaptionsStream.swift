#if Captions
import CMicroHTTPD
import Synchronization

/// The newest event, and the browsers that read it. A browser that is slow misses the events in between.
final class CaptionsStream: Sendable {
    /// A browser's connection.
    final class Reader {
        fileprivate let connection: OpaquePointer
        fileprivate var seen: UInt64 = 0
        fileprivate var unsent: ArraySlice<UInt8> = []
        /// Whether the server leaves the connection alone until there is something to send.
        fileprivate var isSuspended = false

        init(_ connection: OpaquePointer) { self.connection = connection }
    }

    private struct State {
        var event: [UInt8]
        var number: UInt64 = 1
        var isClosed = false
        var readers: [ObjectIdentifier: Reader] = [:]

        mutating func resumeAll() {
            for reader in readers.values where reader.isSuspended {
                reader.isSuspended = false
                MHD_resume_connection(reader.connection)
            }
        }
    }

    /// Readers are used under this lock only, so that no reader is resumed once its connection is gone.
    private let state: Mutex<Unchecked<State>>

    init(_ event: [UInt8]) { state = Mutex(Unchecked(value: State(event: event))) }

    /// Sends an event to every browser.
    func publish(_ event: [UInt8]) {
        state.withLock { state in
            state.value.event = event
            state.value.number += 1
            state.value.resumeAll()
        }
    }

    /// Ends the answers to all browsers.
    func close() {
        state.withLock { state in
            state.value.isClosed = true
            state.value.resumeAll()
        }
    }

    // MARK: On the server's thread

    func add(_ connection: OpaquePointer) -> Reader {
        let reader = Reader(connection)
        state.withLock { [reader = Unchecked(value: reader)] state in
            state.value.readers[ObjectIdentifier(reader.value)] = reader.value
        }
        return reader
    }

    func remove(_ reader: Reader) {
        _ = state.withLock { [id = ObjectIdentifier(reader)] state in state.value.readers.removeValue(forKey: id) == nil
        }
    }

    /// Writes what a reader has not got; 0 if that is nothing yet, and `nil` at the end.
    func fill(_ block: UnsafeMutableRawBufferPointer, for reader: Reader) -> Int? {
        state.withLock { [reader = Unchecked(value: reader), block = Unchecked(value: block)] state in
            let (reader, block) = (reader.value, block.value)
            if reader.unsent.isEmpty {
                guard !state.value.isClosed else { return nil }
                guard reader.seen != state.value.number else {
                    reader.isSuspended = true
                    MHD_suspend_connection(reader.connection)
                    return 0
                }
                reader.seen = state.value.number
                reader.unsent = state.value.event[...]
            }
            let count = min(block.count, reader.unsent.count)
            block.copyBytes(from: reader.unsent.prefix(count))
            reader.unsent = reader.unsent.dropFirst(count)
            return count
        }
    }
}

/// A value that is only used under the stream's lock, although the compiler can't see that it stays there.
struct Unchecked<Value>: @unchecked Sendable {  // `CaptionsStream` holds its lock for each use.
    var value: Value
}
#endif
