#if Server
import DictationCore
import Synchronization

/// The connections that are open, so that the server can end them.
final class LiveConnections: Sendable {
    private struct State: Sendable {
        var sockets: [ObjectIdentifier: ClientSocket] = [:]
        var isRetired = false
        var hasEnded = false
    }

    private let open = Watched(State())

    /// Serves a connection in a thread of its own until the work returns, then closes it.
    func serve(
        _ socket: ClientSocket, named name: String, runtime: DictationRuntime,
        _ work: @escaping @Sendable () async -> Void
    ) {
        let id = ObjectIdentifier(socket)
        open.change { open in
            open.sockets[id] = socket
            if open.isRetired { socket.retire() }
            if open.hasEnded { socket.end() }
        }
        Task(executorPreference: runtime.blockingExecutor(name)) { [open] in
            await work()
            socket.end()
            open.change { $0.sockets[id] = nil }
        }
    }

    /// Ends each connection as soon as nothing of its client is being worked on.
    func retire() {
        open.change { open in
            open.isRetired = true
            for socket in open.sockets.values { socket.retire() }
        }
    }

    /// Waits until no connection is being served.
    func empty() async { _ = await open.first { $0.sockets.isEmpty ? true : nil } }

    /// Ends all connections, now and later.
    func end() {
        open.change { open in
            open.hasEnded = true
            for socket in open.sockets.values { socket.end() }
        }
    }
}
#endif
