#if SystemBus
public import DictationCore
public import DictationService
import DictationSystem
import Synchronization

/// Ends the take of a service before the computer sleeps, so that its text is kept.
///
/// logind delays the sleep until the text is in the journal, for five seconds at most. After the sleep the microphone stays
/// closed until somebody starts a take. The text of the interrupted one goes to the next
/// `DictationControl.stop()`, once, and `DictationIntent.last` repeats it. Releasing the guard ends it.
///
/// A thread of its own waits for logind, and sleeps meanwhile.
public final class SleepGuard: Sendable {
    private let queue: MessageQueue

    private init(queue: MessageQueue) { self.queue = queue }

    deinit { queue.close() }

    /// Begins to guard a service.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - address: The address of the bus that logind is on; `nil` is the system's.
    /// - Throws: `notRunning` if there is no system bus. Without logind, the guard waits for one.
    public static func start(
        for service: DictationService, at address: String? = nil
    ) throws(DictationError) -> SleepGuard {
        let bus = try BusConnection(address.map { .address($0) } ?? .system)
        try bus.listen(
            "type='signal',sender='\(Logind.name)',path='\(Logind.path)',interface='\(Logind.manager)'"
                + ",member='PrepareForSleep'")
        let queue = try MessageQueue()
        let isStarted = SystemThread.start(named: "dictation-sleep") {
            BusLoop.run(bus, queue, SleepWatch(bus, service: service))
        }
        guard isStarted else { throw .noThread }
        return SleepGuard(queue: queue)
    }
}

private enum Logind {
    static let name = "org.freedesktop.login1"
    static let path = "/org/freedesktop/login1"
    static let manager = "org.freedesktop.login1.Manager"
}

/// Waits for the sleep, on the guard's thread.
private final class SleepWatch: BusServer {
    private let bus: BusConnection
    private let service: DictationService
    /// Delays the sleep until it is released.
    private let delay = Mutex<Delay?>(nil)

    private final class Delay: Sendable {
        let descriptor: Descriptor
        init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
    }

    init(_ bus: BusConnection, service: DictationService) {
        self.bus = bus
        self.service = service
        delayNextSleep()
    }

    func receive(_ message: BusMessage) {
        guard message.isSignal(Logind.manager, "PrepareForSleep"), let isBeginning = message.flag() else { return }
        guard isBeginning else { return delayNextSleep() }
        let delay = delay.withLock { delay in
            defer { delay = nil }
            return delay
        }
        let service = service
        service.runtime.task {
            await service.close()
            // The sleep may begin.
            withExtendedLifetime(delay) {}
        }
    }

    private func delayNextSleep() {
        let values = ["sleep", "Dictation", "Keeps the text of the take", "delay"].map { BusValue.string($0) }
        // Without logind there is nothing to delay.
        guard let reply = try? bus.call(Logind.name, Logind.path, Logind.manager, "Inhibit", values),
            let descriptor = reply.descriptor()
        else { return }
        let next = Delay(descriptor)
        delay.withLock { $0 = next }
    }
}
#else
public import DictationCore
public import DictationService

/// Ends the take of a service before the computer sleeps. This build leaves it out.
@available(*, unavailable, message: "Enable the “SystemBus” trait of swift-dictation.")
public final class SleepGuard: Sendable {
    /// Unavailable in this build.
    public static func start(
        for service: DictationService, at address: String? = nil
    ) throws(DictationError) -> SleepGuard {
        throw .notBuilt("SystemBus")
    }
}
#endif
