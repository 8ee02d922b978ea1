#if Captions || Server
import CMicroHTTPD
import CSystem
import DictationSystem
import Synchronization

/// A connection that has left HTTP for another protocol. It closes at the end of the object's lifetime. If its server
/// ends first, it is at its end.
package final class UpgradedConnection: Sendable {
    /// The connection's own descriptor, which stays valid when the server has ended; -1 if there is none left.
    package let descriptor: Int32
    /// What the client sent right behind its request.
    package let received: [UInt8]
    private let hold: UpgradedConnections.Hold
    /// The place of the connection.
    package let place: ClientPlace?

    init(
        _ socket: Int32, _ handle: OpaquePointer, received: [UInt8], in connections: UpgradedConnections,
        place: ClientPlace?
    ) {
        self.place = place
        descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        self.received = received
        // Its reader waits in a thread of its own.
        _ = dictation_make_waiting(socket)
        hold = connections.add(handle, socket)
    }

    deinit {
        hold.release()
        if descriptor >= 0 { close(descriptor) }
    }
}

/// The upgraded connections of a server, which libmicrohttpd must not have any more when it stops.
final class UpgradedConnections: Sendable {
    private struct State {
        var open: [ObjectIdentifier: (handle: OpaquePointer, socket: Int32)] = [:]
        var hasEnded = false
    }

    /// Handles are used under this lock only, so that none is used that is gone.
    private let state = Mutex(Unchecked(value: State()))

    /// What libmicrohttpd holds for a connection, until this is released or the server ends.
    final class Hold: Sendable {
        private let connections: UpgradedConnections

        fileprivate init(_ connections: UpgradedConnections) { self.connections = connections }

        func release() {
            connections.state.withLock { state in
                guard let open = state.value.open.removeValue(forKey: ObjectIdentifier(self)) else { return }
                _ = dictation_close_upgraded(open.handle)
            }
        }
    }

    fileprivate func add(_ handle: OpaquePointer, _ socket: Int32) -> Hold {
        let hold = Hold(self)
        let handle = Unchecked(value: handle)
        state.withLock { state in
            state.value.open[ObjectIdentifier(hold)] = (handle.value, socket)
            if state.value.hasEnded { Self.end(&state.value) }
        }
        return hold
    }

    /// Ends all connections, and later ones at once.
    func end() {
        state.withLock { state in
            state.value.hasEnded = true
            Self.end(&state.value)
        }
    }

    private static func end(_ state: inout State) {
        for (handle, socket) in state.open.values {
            // Wakes who waits for the connection.
            dictation_end_connection(socket)
            _ = dictation_close_upgraded(handle)
        }
        state.open = [:]
    }
}
#else
/// A connection that has left HTTP for another protocol.
package final class UpgradedConnection: Sendable {}
#endif
