#if SystemBus
public import DictationCore
public import DictationService
import Synchronization

/// A notification of the desktop while the microphone is open, and a short one when it closes.
///
/// It is shown by whoever has the name `org.freedesktop.Notifications` on the bus of the user's session. A new notification
/// replaces the last one.
public final class NotificationCue: MicrophoneCue {
    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    /// The number of the newest notification; 0 if there is none.
    private let shown = Mutex<UInt32>(0)
    private let connection = Handover<BusConnection>()
    private let work = BlockingWork("dictation-notification")

    /// Connects to a bus.
    ///
    /// - Parameter address: The address of the bus; `nil` is the bus of the user's session.
    /// - Throws: `notRunning` if there is no such bus.
    public init(at address: String? = nil) throws(DictationError) {
        connection.put(try BusConnection(address.map { .address($0) } ?? .session))
    }

    /// The microphone hears nothing of it.
    public var isAudible: Bool { false }

    /// Shows that the microphone is open, until it closes.
    public func microphoneOpened() async {
        await show("audio-input-microphone", "Listening", "The microphone is open.", 0)
    }

    /// Shows for two seconds that the microphone is closed.
    public func microphoneClosed() async {
        await show("microphone-sensitivity-muted", "Not listening", "The microphone is closed.", 2_000)
    }

    /// - Parameter time: For how many milliseconds it is shown; 0 is until another one replaces it.
    private func show(_ icon: String, _ title: String, _ text: String, _ time: Int32) async {
        // Notifications are shown in their order. A desktop without them is no reason to keep anybody from dictating.
        try? await work.run { () throws(DictationError) in
            let values: [BusValue] = [
                .string("Dictation"), .number32(self.shown.withLock { $0 }), .string(icon), .string(title),
                .string(text),
                .array(of: "s", []), .dictionary([BusValue.Entry(name: "transient", value: .flag(true))]),
                .integer32(time),
            ]
            guard let bus = self.connection.take() else { return }
            let reply = Result { () throws(DictationError) in
                try bus.call(Self.name, Self.path, Self.name, "Notify", values).number32()
            }
            self.connection.put(bus)
            if let number = try reply.get() { self.shown.withLock { $0 = number } }
        }
    }
}
#else
public import DictationCore
public import DictationService

/// A notification of the desktop while the microphone is open. This build leaves it out.
@available(*, unavailable, message: "Enable the “SystemBus” trait of swift-dictation.")
public final class NotificationCue: MicrophoneCue {
    /// Unavailable in this build.
    public init(at address: String? = nil) throws(DictationError) {
        throw .notBuilt("SystemBus")
    }
    /// Unavailable in this build.
    public var isAudible: Bool { false }
    /// Unavailable in this build.
    public func microphoneOpened() async {}
    /// Unavailable in this build.
    public func microphoneClosed() async {}
}
#endif
