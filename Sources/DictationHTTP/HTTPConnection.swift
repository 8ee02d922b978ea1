#if Captions || Server
import CMicroHTTPD
import DictationSystem
import Synchronization

/// A connection that the server leaves alone while there is nothing to send.
package final class HTTPConnection: Sendable {
    private struct State {
        /// `nil` once the connection is gone.
        var connection: OpaquePointer?
        var isSuspended = false
        /// Whether somebody woke the connection since it was last asked.
        var isWoken = false
        var isClosed = false

        mutating func resume() {
            guard isSuspended, let connection else { return }
            isSuspended = false
            MHD_resume_connection(connection)
        }
    }

    /// The connection is used under this lock only, so that nobody wakes one that is gone.
    private let state: Mutex<Unchecked<State>>

    init(_ connection: OpaquePointer) { state = Mutex(Unchecked(value: State(connection: connection))) }

    /// Lets the server ask again for an answer, or for more of it.
    package func wake() {
        state.withLock { state in
            state.value.isWoken = true
            state.value.resume()
        }
    }

    /// The end of what the client sends; `nil` if the connection is gone.
    var end: SocketWatch.Wait? {
        state.withLock { state in
            state.value.connection.map { SocketWatch.shared.wait(for: .end, of: dictation_connection_socket($0)) }
        }
    }

    /// Lets no answer wait any longer.
    func close() {
        state.withLock { state in
            state.value.isClosed = true
            state.value.resume()
        }
    }

    // MARK: On the server's thread

    /// Begins to look for something to send: what comes from now on wakes the connection.
    func look() { state.withLock { $0.value.isWoken = false } }

    /// Leaves the connection alone until it is woken.
    ///
    /// - Returns: `false` if the server ends and the connection must end too.
    func rest() -> Bool {
        state.withLock { state in
            guard !state.value.isClosed else { return false }
            if !state.value.isWoken, !state.value.isSuspended, let connection = state.value.connection {
                state.value.isSuspended = true
                MHD_suspend_connection(connection)
            }
            return true
        }
    }

    /// Says that the connection is gone.
    func forget() { state.withLock { $0.value.connection = nil } }
}

/// A value that is only used under a lock, although the compiler can't see that it stays there.
package struct Unchecked<Value>: @unchecked Sendable {  // Each owner holds its lock for each use.
    package var value: Value

    package init(value: Value) { self.value = value }
}
#endif
