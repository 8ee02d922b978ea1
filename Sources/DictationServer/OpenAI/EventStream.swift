#if Server
import DictationCore
import DictationHTTP
import Synchronization

/// Events that a client reads while they come. A client that is slow lets the writer wait.
final class EventStream: HTTPSource {
    private struct State: Sendable {
        var unsent: [UInt8] = []
        var hasEnded = false
        var isAbandoned = false
        var connection: HTTPConnection?
        var whenAbandoned: (@Sendable () -> Void)?
    }

    private static let limit = 1 << 16
    private let state = Watched(State())

    /// Runs a closure when the client leaves, or at once if it has left.
    func whenAbandoned(_ body: @escaping @Sendable () -> Void) {
        let isAbandoned = state.change { state in
            state.whenAbandoned = body
            return state.isAbandoned
        }
        if isAbandoned { body() }
    }

    /// Sends an event, when the client has read most of the earlier ones.
    ///
    /// - Returns: `false` if the client has left.
    func send(_ json: String) async -> Bool {
        let isThere = await state.first { state -> Bool? in
            state.isAbandoned ? false : state.unsent.count < Self.limit ? true : nil
        }
        guard isThere == true else { return false }
        wake { $0.unsent += Array("data: \(json)\n\n".utf8) }
        return true
    }

    /// Ends the answer.
    func finish() { wake { $0.hasEnded = true } }

    private func wake(_ change: @Sendable (inout State) -> Void) {
        let connection = state.change { state in
            change(&state)
            return state.connection
        }
        connection?.wake()
    }

    // MARK: On the server's thread

    func begin(_ connection: HTTPConnection) { state.change { $0.connection = connection } }

    func read(into block: UnsafeMutableRawBufferPointer) -> HTTPRead {
        let (part, hasEnded) = state.change { state in
            let part = Array(state.unsent.prefix(block.count))
            state.unsent.removeFirst(part.count)
            return (part, state.hasEnded)
        }
        block.copyBytes(from: part)
        return part.isEmpty ? (hasEnded ? .end : .nothing) : .bytes(part.count)
    }

    func end() {
        let body = state.change { state in
            state.isAbandoned = true
            state.connection = nil
            return state.whenAbandoned
        }
        body?()
    }
}
#endif
