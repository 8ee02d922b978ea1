#if SystemBus
public import DictationCore
public import DictationService
import DictationSystem
import Synchronization

/// A keyboard for dictation in all programs that use IBus.
///
/// It has no microphone: it asks a service, shows text that may still change at the cursor, and writes the rest into the field
/// where the take began. ``KeyboardMachine`` describes what gets where. It needs no library of IBus, and survives restarts of
/// ibus-daemon and of the service.
public final class IBusKeyboard: Sendable {
    /// The keys that dictate while the keyboard is the active one.
    public struct Keys: Sendable, Hashable {
        /// Records as long as it is held; `nil` for no such key.
        public var hold: KeyboardKey?
        /// Begins and ends a take; `nil` for no such key.
        public var toggle: KeyboardKey?

        /// Creates keys. Escape cancels.
        public init(hold: KeyboardKey? = nil, toggle: KeyboardKey? = nil) { (self.hold, self.toggle) = (hold, toggle) }
    }

    /// How long a keyboard waits for ibus-daemon to be started again.
    private static let daemonTimeout = Duration.seconds(60)

    private let keyboard: DictationKeyboard
    private let actions: KeyboardActions
    private let queue: MessageQueue
    private let keys: Keys
    private let isSelected: Bool
    private let address: @Sendable () -> String?

    /// Creates a keyboard.
    ///
    /// - Parameters:
    ///   - control: The service.
    ///   - profile: The name of the profile of its takes; `nil` is the usual one.
    ///   - keys: The keys that dictate.
    ///   - isSelected: Whether it becomes the active keyboard at once, and whenever ibus-daemon is started again. Otherwise the
    ///     user chooses it in the desktop's settings.
    /// - Throws: The error of the system, if this process has too many files open.
    public convenience init(
        control: any DictationControl, profile: String? = nil, keys: Keys, isSelected: Bool = false
    ) throws(DictationError) {
        try self.init(control: control, profile: profile, keys: keys, isSelected: isSelected) { IBusAddress.current() }
    }

    init(
        control: any DictationControl, profile: String? = nil, keys: Keys, isSelected: Bool = false,
        address: @escaping @Sendable () -> String?
    ) throws(DictationError) {
        let queue = try MessageQueue()
        let actions = KeyboardActions(queue)
        (self.queue, self.actions, self.keys) = (queue, actions, keys)
        (self.isSelected, self.address) = (isSelected, address)
        keyboard = DictationKeyboard(control: control, profile: profile) { actions.put($0) }
    }

    deinit { queue.close() }

    /// Runs the keyboard until the task is cancelled. Meanwhile a `KeyboardDestination` of the service writes through it.
    ///
    /// - Throws: `notRunning` if there is no ibus-daemon, also if it has been away for a minute; `alreadyRunning` if another
    ///   program offers this keyboard.
    public func run() async throws(DictationError) {
        defer { queue.close() }
        let result = Watched<Result<Void, DictationError>?>(nil)
        let isStarted = SystemThread.start(named: "dictation-keyboard") {
            let end = Result { () throws(DictationError) in try self.serve() }
            result.change { $0 = end }
        }
        guard isStarted else { throw .noThread }
        let end = await result.first { $0 }
        try end?.get()
    }

    private func serve() throws(DictationError) {
        var number = 0
        var servedUntil: Duration?
        while !queue.take().isClosing {
            do throws(DictationError) {
                guard let address = address() else { throw .noInputMethod() }
                let bus = try BusConnection(.inputMethod(address))
                number += 1
                let engine = try IBusEngine(bus, keyboard, actions, keys, number: number, isSelected: isSelected)
                servedUntil = SystemClock.now
                BusLoop.run(bus, queue, engine)
                servedUntil = SystemClock.now
            } catch {
                guard let end = servedUntil, error.code != .alreadyRunning,
                    SystemClock.now - end < Self.daemonTimeout
                else { throw error }
            }
            var wait = queue.wait
            poll(&wait, 1, 200)
        }
    }
}

extension DictationError {
    fileprivate static func noInputMethod() -> DictationError {
        DictationError(
            .notRunning, "IBus is not running.",
            recovery: "Choose IBus as the input method of your desktop, or start “ibus-daemon --daemonize --xim”.")
    }
}
#else
public import DictationCore
public import DictationService

/// A keyboard for dictation in all programs that use IBus. This build leaves it out.
@available(*, unavailable, message: "Enable the “SystemBus” trait of swift-dictation.")
public final class IBusKeyboard: Sendable {
    /// The keys that dictate.
    public struct Keys: Sendable, Hashable {
        /// Unavailable in this build.
        public init(hold: KeyboardKey? = nil, toggle: KeyboardKey? = nil) {}
    }
    /// Unavailable in this build.
    public init(
        control: any DictationControl, profile: String? = nil, keys: Keys, isSelected: Bool = false
    ) throws(DictationError) {
        throw .notBuilt("SystemBus")
    }
    /// Unavailable in this build.
    public func run() async throws(DictationError) {}
}
#endif
