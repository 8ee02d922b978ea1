#if Server
import CSockets
import DictationCore
import DictationHTTP
import DictationPlatform

/// Accepts the connections of Wyoming's clients.
final class WyomingListener: Sendable {
    let port: UInt16
    private let socket: Int32
    private let connections: LiveConnections
    private let hasStopped = Watched(false)
    private let accepting: Task<Void, Never>

    init(at place: ServerConfiguration.Place, core: ServerCore, _ connections: LiveConnections) throws(DictationError) {
        var port = place.port
        let socket = dictation_listen(place.address, &port)
        guard socket >= 0 else { throw .listening(at: place.address, place.port, code: -socket) }
        (self.port, self.socket, self.connections) = (port, socket, connections)
        let hasStopped = hasStopped
        accepting = Task(executorPreference: core.runtime.blockingExecutor("wyoming")) {
            while !hasStopped.value {
                guard dictation_wait_readable(socket, -1) > 0 else { continue }
                let accepted = dictation_accept(socket)
                guard accepted >= 0 else {
                    // Without a free descriptor, the connection waits until another one ends.
                    if !hasStopped.value { try? await core.runtime.sleep(.milliseconds(50)) }
                    continue
                }
                let client = ClientSocket(accepted, runtime: core.runtime)
                guard connections.count < core.limits.connections else { continue }
                connections.serve(client, named: "wyoming-client", runtime: core.runtime) {
                    await WyomingConnection(client, core: core).run()
                }
            }
        }
    }

    /// Accepts no more connections. Those that are open go on.
    func quiesce() async {
        hasStopped.change { $0 = true }
        dictation_end_connection(socket)
        await accepting.value
    }

    deinit {
        hasStopped.change { $0 = true }
        dictation_end_connection(socket)
        let (accepting, socket) = (accepting, socket)
        // The descriptor may not be used for something else while the thread waits for it.
        Task {
            await accepting.value
            close(socket)
        }
    }
}
#endif
