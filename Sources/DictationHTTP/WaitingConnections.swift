#if Captions || Server
import CMicroHTTPD
import CSystem
import DictationCore
import Synchronization

/// The connections whose next request, or its body, is not there yet. A client that sends byte by byte is never idle, so
/// libmicrohttpd would keep its connection without end.
final class WaitingConnections: Sendable {
    private struct State {
        /// When each connection began to wait.
        var waiting: [OpaquePointer: Duration] = [:]
        /// The bodies that arrive: since when their bytes are counted, and how many there were.
        var bodies: [OpaquePointer: (since: Duration, count: Int)] = [:]

        var isEmpty: Bool { waiting.isEmpty && bodies.isEmpty }
        /// Since when the one that waits longest waits; `nil` if none waits.
        var first: Duration? { (waiting.values + bodies.values.map(\.since)).min() }
    }

    /// Connections are used under this lock only, so that none is ended that is gone.
    private let state = Mutex(Unchecked(value: State()))
    /// Whether any connection waits, so that no time passes for nothing.
    private let hasAny = Watched(false)
    private let limit: Duration
    /// Connections have the time of the system also where a test sets the clock.
    private let runtime = DictationRuntime.system

    /// The bytes of a body that must arrive in each second, on the average of the limit.
    private static let leastRate = 512

    /// - Parameter limit: How long a client may take for the headers of a request, and for a piece of a body that keeps the
    ///   least rate.
    init(limit: Duration) { self.limit = limit }

    /// Begins to end the connections that wait too long, until the task is cancelled.
    func watch() -> Task<Void, Never> {
        runtime.task { [self] in
            while await hasAny.first({ $0 ? true : nil }) == true {
                let first = state.withLock { $0.value.first } ?? runtime.now()
                guard (try? await runtime.sleep(first + limit - runtime.now() + .milliseconds(1))) != nil else {
                    return
                }
                endLate()
            }
        }
    }

    private func endLate() {
        let now = runtime.now()
        state.withLock { [limit] state in
            for (connection, since) in state.value.waiting where now - since > limit {
                state.value.waiting[connection] = nil
                dictation_end_connection(dictation_connection_socket(connection))
            }
            let least = Int(limit.components.seconds) * Self.leastRate
            for (connection, body) in state.value.bodies where now - body.since > limit {
                state.value.bodies[connection] = body.count < least ? nil : (now, 0)
                if body.count < least { dictation_end_connection(dictation_connection_socket(connection)) }
            }
            note(state.value)
        }
    }

    private func note(_ state: State) {
        let isWaiting = !state.isEmpty
        hasAny.change { $0 = isWaiting }
    }

    // MARK: On the server's thread

    /// Notes that a connection waits for the next request.
    func begin(_ connection: OpaquePointer) {
        let (now, connection) = (runtime.now(), Unchecked(value: connection))
        state.withLock { state in
            state.value.waiting[connection.value] = now
            note(state.value)
        }
    }

    /// Notes that the headers of a request are there and its body follows.
    func beginBody(of connection: OpaquePointer) {
        let (now, connection) = (runtime.now(), Unchecked(value: connection))
        state.withLock { state in
            state.value.bodies[connection.value] = (now, 0)
            note(state.value)
        }
    }

    /// Notes that bytes of a body have arrived.
    func count(_ bytes: Int, of connection: OpaquePointer) {
        let connection = Unchecked(value: connection)
        state.withLock { $0.value.bodies[connection.value]?.count += bytes }
    }

    /// Notes that what was waited for is there, or that the connection is gone.
    func end(_ connection: OpaquePointer) {
        let connection = Unchecked(value: connection)
        state.withLock { state in
            state.value.waiting[connection.value] = nil
            state.value.bodies[connection.value] = nil
        }
    }
}
#endif
