#if Server
import CSystem
import DictationCore
import DictationHTTP
import DictationSystem

/// Accepts the connections of Wyoming's clients.
final class WyomingListener: Sendable {
    /// The port; 0 for a unix socket.
    let port: UInt16
    /// Removes the file of the unix socket. Does nothing for a port.
    private let removeFile: @Sendable () -> Void
    private let socket: Int32
    private let connections: LiveConnections
    private let hasStopped = Watched(false)
    private let waker = Waker()
    private let accepting: Task<Void, Never>

    /// Listens at a port.
    convenience init(
        at place: DictationServer.Configuration.Place, core: ServerCore, _ connections: LiveConnections
    ) throws(DictationError) {
        var port = place.port
        let socket = dictation_listen(place.address, &port)
        guard socket >= 0 else { throw .listening(at: place.address, place.port, code: -socket) }
        self.init(socket, port: port, core, connections) {}
    }

    /// Listens at a unix socket.
    convenience init(atPath path: String, core: ServerCore, _ connections: LiveConnections) throws(DictationError) {
        let (socket, file): (Int32, SocketFile)
        do throws(SystemError) { (socket, file) = try SocketFile.listen(at: path) } catch {
            throw .listening(atPath: path, code: error.code)
        }
        self.init(socket, port: 0, core, connections) { file.remove() }
    }

    private init(
        _ socket: Int32, port: UInt16, _ core: ServerCore, _ connections: LiveConnections,
        removeFile: @escaping @Sendable () -> Void
    ) {
        (self.socket, self.port, self.connections, self.removeFile) = (socket, port, connections, removeFile)
        let (hasStopped, waker) = (hasStopped, waker)
        accepting = Task(executorPreference: core.runtime.blockingExecutor("wyoming")) {
            while !hasStopped.value {
                let accepted = dictation_accept(socket)
                if accepted == -EAGAIN {
                    waker.rest(.seconds(3_600), socket: socket)
                    continue
                }
                guard accepted >= 0 else {
                    // Without a free descriptor, the connection waits until another one ends.
                    if !hasStopped.value { try? await core.runtime.sleep(.milliseconds(50)) }
                    continue
                }
                let place = core.clients.open(peerAddress(of: accepted))
                let client = ClientSocket(accepted, place, runtime: core.runtime)
                connections.serve(client, named: "wyoming-client", runtime: core.runtime) {
                    await WyomingConnection(client, core: core).run()
                }
            }
        }
    }

    /// Accepts no more connections. Those that are open go on.
    func quiesce() async {
        if !hasStopped.value { removeFile() }
        hasStopped.change { $0 = true }
        dictation_end_connection(socket)
        waker.wake()
        await accepting.value
    }

    deinit {
        if !hasStopped.value { removeFile() }
        hasStopped.change { $0 = true }
        dictation_end_connection(socket)
        waker.wake()
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
        let (kind, recovery): (DictationError.Code, String) =
            switch code {
            case EADDRINUSE: (.alreadyRunning, "Choose another path, or end the program that listens there.")
            case ENOTSOCK: (.invalidInput, "Something other than a socket has this path. Choose another one.")
            case EPERM:
                (
                    .permissionDenied,
                    "Other users could take the socket's place. Choose a path in a folder of your own that only you can "
                        + "write to."
                )
            case EACCES: (.permissionDenied, "Choose a path in a folder of your own.")
            default:
                (.invalidInput, "Give the full path of a socket, of at most 107 bytes, in a folder of your own.")
            }
        return DictationError(
            kind, "Nothing can be served at “\(path.visible)”: \(String(cString: strerror(code))).", recovery: recovery)
    }
}
#endif
