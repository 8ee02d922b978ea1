#if Captions || Server
import CMicroHTTPD
import CSockets
import DictationCore
import Synchronization

/// The connections whose next request is not there yet. A client that sends its headers byte by byte is never idle, so
/// libmicrohttpd would keep its connection without end.
final class WaitingConnections: Sendable {
    private struct State {
        /// When each connection began to wait.
        var waiting: [OpaquePointer: Duration] = [:]
    }

    /// Connections are used under this lock only, so that none is ended that is gone.
    private let state = Mutex(Unchecked(value: State()))
    private let limit: Duration
    /// Connections have the time of the system also where a test sets the clock.
    private let runtime = DictationRuntime.system

    /// - Parameter limit: How long a client may take for the headers of a request.
    init(limit: Duration) { self.limit = limit }

    /// Begins to end the connections that wait too long, until the task is cancelled.
    func watch() -> Task<Void, Never> {
        runtime.task { [self] in
            while (try? await runtime.sleep(min(limit, .seconds(1)))) != nil { endLate() }
        }
    }

    private func endLate() {
        let now = runtime.now()
        state.withLock { [limit] state in
            for (connection, since) in state.value.waiting where now - since > limit {
                state.value.waiting[connection] = nil
                dictation_end_connection(dictation_connection_socket(connection))
            }
        }
    }

    // MARK: On the server's thread

    /// Notes that a connection waits for the next request.
    func begin(_ connection: OpaquePointer) {
        let (now, connection) = (runtime.now(), Unchecked(value: connection))
        state.withLock { $0.value.waiting[connection.value] = now }
    }

    /// Notes that the headers of a request are there, or that the connection is gone.
    func end(_ connection: OpaquePointer) {
        let connection = Unchecked(value: connection)
        state.withLock { $0.value.waiting[connection.value] = nil }
    }
}
#endif
