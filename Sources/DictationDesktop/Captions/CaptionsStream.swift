#if Captions
import DictationHTTP
import Synchronization

/// The newest event, and the browsers that read it. A browser that is slow misses the events in between.
final class CaptionsStream: Sendable {
    private struct State: Sendable {
        var event: [UInt8]
        var number: UInt64 = 1
        var readers: [ObjectIdentifier: HTTPConnection] = [:]
    }

    private let state: Mutex<State>

    init(_ event: [UInt8]) { state = Mutex(State(event: event)) }

    /// Sends an event to every browser.
    func publish(_ event: [UInt8]) {
        let readers = state.withLock { state in
            state.event = event
            state.number += 1
            return Array(state.readers.values)
        }
        for reader in readers { reader.wake() }
    }

    /// A browser that reads.
    final class Reader: HTTPSource {
        private let stream: CaptionsStream
        private let state = Mutex((seen: UInt64(0), unsent: ArraySlice<UInt8>()))

        init(_ stream: CaptionsStream) { self.stream = stream }

        func begin(_ connection: HTTPConnection) {
            stream.state.withLock { $0.readers[ObjectIdentifier(self)] = connection }
        }

        func read(into block: UnsafeMutableRawBufferPointer) -> HTTPRead {
            let (event, number) = stream.state.withLock { ($0.event, $0.number) }
            let part = state.withLock { state in
                if state.unsent.isEmpty, state.seen != number {
                    state.seen = number
                    state.unsent = event[...]
                }
                let part = state.unsent.prefix(block.count)
                state.unsent = state.unsent.dropFirst(part.count)
                return part
            }
            block.copyBytes(from: part)
            return part.isEmpty ? .nothing : .bytes(part.count)
        }

        func end() { stream.state.withLock { _ = $0.readers.removeValue(forKey: ObjectIdentifier(self)) } }
    }
}
#endif
