#if Server
import DictationCore
import Synchronization

/// The connections that are open, so that the server can end them.
final class LiveConnections: Sendable {
    private let open = Watched<[ObjectIdentifier: ClientSocket]>([:])

    var count: Int { open.value.count }

    /// Serves a connection in a thread of its own until the work returns, then closes it.
    func serve(
        _ socket: ClientSocket, named name: String, runtime: DictationRuntime,
        _ work: @escaping @Sendable () async -> Void
    ) {
        let id = ObjectIdentifier(socket)
        open.change { $0[id] = socket }
        Task(executorPreference: runtime.blockingExecutor(name)) { [open] in
            await work()
            socket.end()
            open.change { $0[id] = nil }
        }
    }

    /// Ends all connections, and waits until their work has returned.
    func end() async {
        for socket in open.value.values { socket.end() }
        _ = await open.first { $0.isEmpty ? true : nil }
    }
}
#endif
