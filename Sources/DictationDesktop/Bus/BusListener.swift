#if SystemBus
public import DictationCore
public import DictationService
import DictationSystem

/// Lets other programs of the same user talk to a service, through D-Bus.
///
/// It means the same as a `ServiceListener`, and a service can have both. <doc:TalkingOnTheBus> describes the interface. A
/// thread of its own serves the bus, and sleeps while nobody talks. Releasing the listener closes it.
///
/// The bus of a session belongs to one user, and its daemon admits no other. A listener does not open on another user's bus.
public final class BusListener: Sendable {
    /// The name of the service on the bus, and of its interface.
    public static let name = BusInterface.name
    /// The path of the service's object.
    public static let objectPath = BusInterface.path

    private let queue: MessageQueue
    private let isClosed = Watched(false)

    private init(queue: MessageQueue) { self.queue = queue }

    deinit { queue.close() }

    /// Opens a listener to a service.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - address: The address of the bus; `nil` is the bus of the user's session.
    /// - Throws: `alreadyRunning` if another service has the name on this bus, `notRunning` if there is no bus, and
    ///   `permissionDenied` if the bus belongs to another user.
    public static func open(
        _ service: DictationService, at address: String? = nil
    ) throws(DictationError) -> BusListener {
        try open(service, at: address, limits: ServiceListener.Limits(), user: geteuid())
    }

    /// Opens a listener for the programs of a user.
    static func open(
        _ service: DictationService, at address: String?, limits: ServiceListener.Limits, user: uid_t
    ) throws(DictationError) -> BusListener {
        let bus = try BusConnection(address.map { .address($0) } ?? .session)
        guard bus.owner == user else {
            throw DictationError(
                .permissionDenied, "The bus belongs to another user, whose programs would hear what is said.",
                recovery: "Use the bus of your own session.")
        }
        // Whoever holds a take or waits for a text may leave.
        try bus.listen(
            "type='signal',sender='\(BusConnection.daemon)',interface='\(BusConnection.daemon)'"
                + ",member='NameOwnerChanged',arg2=''")
        guard try bus.take(name: name) else {
            throw DictationError(
                .alreadyRunning, "Another dictation service is on the bus, with the name \(name).",
                recovery: "Use it, or end it first.")
        }
        let queue = try MessageQueue()
        let listener = BusListener(queue: queue)
        let isClosed = listener.isClosed
        let isStarted = SystemThread.start(named: "dictation-bus") {
            BusLoop.run(bus, queue, BusRequests(bus, service: service, queue: queue, limits: limits))
            // The connection ends later, when nothing holds it any more.
            bus.giveUp(name: name)
            isClosed.change { $0 = true }
        }
        guard isStarted else { throw .noThread }
        return listener
    }

    /// Leaves the bus and waits until that is done. A held take is stopped.
    public func close() async {
        queue.close()
        await closed()
    }

    /// Waits until the listener is closed, also because the bus has ended.
    public func closed() async { _ = await isClosed.first { $0 ? true : nil } }
}
#else
public import DictationCore
public import DictationService

/// Lets other programs of the same user talk to a service, through D-Bus. This build leaves it out.
@available(*, unavailable, message: "Enable the “SystemBus” trait of swift-dictation.")
public final class BusListener: Sendable {
    /// Unavailable in this build.
    public static func open(
        _ service: DictationService, at address: String? = nil
    ) throws(DictationError) -> BusListener {
        throw .notBuilt("SystemBus")
    }
}
#endif
