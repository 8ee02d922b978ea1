public import DictationCore
import DictationSystem

/// Lets other programs of the same user talk to a service, through a unix socket.
///
///     let listener = try ServiceListener.open(service, at: path)
///     await listener.closed()
///
/// <doc:TalkingToTheService> describes what goes through the socket. A thread of its own does all input and output, and
/// sleeps while nobody talks. Releasing the listener closes it.
public final class ServiceListener: Sendable {
    /// How much clients may ask of a listener.
    public struct Limits: Sendable, Hashable {
        /// How many more clients may connect to stop or cancel a take, and for nothing else.
        package static let reservedPlaces = 8

        /// The most clients at once. After that, the oldest one that asks for nothing makes room.
        public var clients: Int
        /// The most requests of a client that are not answered yet. Further ones wait.
        public var requests: Int
        /// The most bytes of answers that a client leaves unread. After that it is disconnected.
        public var unreadBytes: Int
        /// How long a client may take to greet.
        public var greetingTimeout: Duration
        /// How often the holder of a take is asked whether it is still there. Its hold ends once two pings are unanswered.
        public var pingInterval: Duration
        /// How long a client that does not answer pings may hold a take.
        public var silentHoldTimeout: Duration

        /// Creates limits.
        public init(
            clients: Int = 64, requests: Int = 32, unreadBytes: Int = 32 << 20,
            greetingTimeout: Duration = .seconds(10),
            pingInterval: Duration = .seconds(5), silentHoldTimeout: Duration = .seconds(600)
        ) {
            self.clients = clients
            self.requests = requests
            self.unreadBytes = unreadBytes
            self.greetingTimeout = greetingTimeout
            self.pingInterval = pingInterval
            self.silentHoldTimeout = silentHoldTimeout
        }
    }

    /// The path of the user's socket: `dictation/socket` in `$XDG_RUNTIME_DIR`, or in the folder of the journal where no
    /// such folder is set; `nil` if the user has no home either.
    public static var standardPath: String? {
        (UserFolders.runtime() ?? UserFolders.state()).map { $0 + "/dictation/socket" }
    }

    /// The socket's path.
    public let path: String
    private let queue: MessageQueue
    private let isClosed = Watched(false)

    private init(path: String, queue: MessageQueue) {
        self.path = path
        self.queue = queue
    }

    deinit { queue.close() }

    /// Creates the folder for a socket, for the user alone, if it does not exist. Use it to put other files of the service
    /// there before the listener opens, such as its log.
    ///
    /// - Parameter path: The socket's path.
    /// - Throws: `permissionDenied` if other users can write to the folder.
    public static func makeFolder(forSocketAt path: String) throws(DictationError) {
        try SocketPlace(path).makeFolder()
    }

    /// Opens a listener to a service.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - path: The socket's path. The folder around it is for the socket alone, and is created if it does not exist.
    ///   - limits: How much clients may ask.
    /// - Throws: `alreadyRunning` if another service listens there; `permissionDenied` if other users can write to the
    ///   folder; `invalidInput` if the path belongs to anything but a socket; otherwise an error that names the path.
    public static func open(
        _ service: DictationService, at path: String, limits: Limits = Limits()
    ) throws(DictationError) -> ServiceListener {
        try open(service, at: path, limits: limits, user: geteuid())
    }

    /// Opens a listener on a socket on which systemd, or another program, has begun to listen for this one.
    ///
    /// The socket's path stays when the listener closes, so that the next client starts the service again.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - socket: The socket's descriptor, for instance one of `ServiceManager.sockets`. The listener closes it.
    ///   - limits: How much clients may ask.
    /// - Throws: `alreadyRunning` if another service listens there; `invalidInput` for anything but a unix socket.
    public static func open(
        _ service: DictationService, inheriting socket: Int32, limits: Limits = Limits()
    ) throws(DictationError) -> ServiceListener {
        let (place, listening) = try SocketPlace.inherit(socket)
        return try open(service, at: place, listening, limits: limits, user: geteuid())
    }

    /// Opens a listener for the programs of a user.
    static func open(
        _ service: DictationService, at path: String, limits: Limits, user: uid_t
    ) throws(DictationError) -> ServiceListener {
        let place = try SocketPlace(path)
        let listening = try place.listen()
        return try open(service, at: place, listening, limits: limits, user: user)
    }

    private static func open(
        _ service: DictationService, at place: SocketPlace, _ listening: ListeningSocket, limits: Limits, user: uid_t
    ) throws(DictationError) -> ServiceListener {
        let queue = try MessageQueue()
        let listener = ServiceListener(path: place.path, queue: queue)
        let isClosed = listener.isClosed
        let work = ListenerLoop(service: service, queue: queue, limits: limits, user: user)
        let isStarted = SystemThread.start(named: "dictation-listener") {
            work.run(listening)
            listening.removeFile()
            // The thread releases the socket later than it tells that the listener is closed.
            listening.end()
            isClosed.change { $0 = true }
        }
        guard isStarted else {
            listening.removeFile()
            throw .noThread
        }
        return listener
    }

    /// Closes the socket, disconnects all clients and waits until that is done. A held take is stopped.
    public func close() async {
        queue.close()
        await closed()
    }

    /// Waits until the listener is closed.
    ///
    /// A listener also closes when someone removes the socket's file: no client could reach the service any more, and a take
    /// would never end.
    public func closed() async { _ = await isClosed.first { $0 ? true : nil } }
}

extension DictationError {
    package static let noThread = DictationError(
        .engineFailed, "The system refuses another thread.", recovery: "End other programs, then try again.")
}
