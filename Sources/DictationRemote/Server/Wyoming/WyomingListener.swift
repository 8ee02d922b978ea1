#if Server
import CSockets
import DictationCore
import DictationHTTP
import DictationPlatform

/// Accepts the connections of Wyoming's clients.
final class WyomingListener: Sendable {
    /// The port; 0 for a unix socket.
    let port: UInt16
    /// The path of the unix socket; `nil` for a port.
    private let path: String?
    private let socket: Int32
    private let connections: LiveConnections
    private let hasStopped = Watched(false)
    private let accepting: Task<Void, Never>

    /// Listens at a port.
    convenience init(
        at place: ServerConfiguration.Place, core: ServerCore, _ connections: LiveConnections
    ) throws(DictationError) {
        var port = place.port
        let socket = dictation_listen(place.address, &port)
        guard socket >= 0 else { throw .listening(at: place.address, place.port, code: -socket) }
        self.init(socket, port: port, path: nil, core, connections)
    }

    /// Listens at a unix socket.
    convenience init(atPath path: String, core: ServerCore, _ connections: LiveConnections) throws(DictationError) {
        let socket = dictation_listen_at_path(path)
        guard socket >= 0 else { throw .listening(atPath: path, code: -socket) }
        self.init(socket, port: 0, path: path, core, connections)
    }

    private init(_ socket: Int32, port: UInt16, path: String?, _ core: ServerCore, _ connections: LiveConnections) {
        (self.socket, self.port, self.path, self.connections) = (socket, port, path, connections)
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
        // Only who listens at the path may remove it.
        if let path, !hasStopped.value { unlink(path) }
        hasStopped.change { $0 = true }
        dictation_end_connection(socket)
        await accepting.value
    }

    deinit {
        if let path, !hasStopped.value { unlink(path) }
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

extension DictationError {
    fileprivate static func listening(atPath path: String, code: Int32) -> DictationError {
        DictationError(
            code == EADDRINUSE ? .alreadyRunning : code == EACCES ? .permissionDenied : .invalidInput,
            "Nothing can be served at “\(path.visible)”: \(String(cString: strerror(code))).",
            recovery: code == EADDRINUSE
                ? "Choose another path, or end the program that listens there."
                : "Give the full path of a socket, of at most 107 bytes, in a folder of your own.")
    }
}
#endif
