#if SystemBus
import DictationCore

/// The conversation with the portal for global shortcuts, on a thread of its own.
final class ShortcutPortal: BusServer {
    private static let name = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static let shortcuts = "org.freedesktop.portal.GlobalShortcuts"
    private static let shortcut = "dictate"

    private enum Step {
        /// The portal makes a session.
        case opening(request: String)
        /// The user chooses the key.
        case binding(session: String, request: String)
        case bound(session: String)
        case over
    }

    private let bus: BusConnection
    private let description: String
    private let trigger: String?
    private let notify: (ShortcutKey.Event) -> Void
    private let bound: (Result<Void, DictationError>) -> Void
    private var step = Step.over
    private(set) var isOver = false

    /// Asks the portal for a session.
    init(
        _ bus: BusConnection, _ description: String, _ trigger: String?,
        notify: @escaping (ShortcutKey.Event) -> Void, bound: @escaping (Result<Void, DictationError>) -> Void
    ) throws(DictationError) {
        self.bus = bus
        self.description = description
        self.trigger = trigger
        self.notify = notify
        self.bound = bound
        for interface in [Self.shortcuts, "org.freedesktop.portal.Request", "org.freedesktop.portal.Session"] {
            try bus.listen("type='signal',sender='\(Self.name)',interface='\(interface)'")
        }
        let options = [
            BusValue.Entry(name: "handle_token", value: .string("dictation_session")),
            BusValue.Entry(name: "session_handle_token", value: .string("dictation")),
        ]
        step = .opening(request: try call("CreateSession", [.dictionary(options)]))
    }

    func receive(_ message: BusMessage) {
        switch step {
        case .opening(let request):
            guard let code = answer(message, to: request) else { return }
            guard code == 0, let session = message.entry("session_handle") else { return giveUp(.declined(code)) }
            bind(session)
        case .binding(let session, let request):
            guard let code = answer(message, to: request) else { return }
            guard code == 0 else { return giveUp(.declined(code)) }
            step = .bound(session: session)
            bound(.success(()))
        case .bound(let session):
            if message.isSignal("org.freedesktop.portal.Session", "Closed"), message.path == session { isOver = true }
            for (member, event) in [("Activated", ShortcutKey.Event.pressed), ("Deactivated", .released)]
            where message.isSignal(Self.shortcuts, member) {
                guard message.objectPath() == session, message.string() == Self.shortcut else { return }
                notify(event)
            }
        case .over: break
        }
    }

    private func bind(_ session: String) {
        var details = [BusValue.Entry(name: "description", value: .string(description))]
        if let trigger { details.append(BusValue.Entry(name: "preferred_trigger", value: .string(trigger))) }
        let shortcut = BusValue.structure([.string(Self.shortcut), .dictionary(details)])
        let options = [BusValue.Entry(name: "handle_token", value: .string("dictation_key"))]
        do throws(DictationError) {
            let request = try call(
                "BindShortcuts",
                [.path(session), .array(of: "(sa{sv})", [shortcut]), .string(""), .dictionary(options)])
            step = .binding(session: session, request: request)
        } catch {
            giveUp(error)
        }
    }

    /// Calls a method of the portal; the path of its request, which is answered later.
    private func call(_ member: String, _ values: [BusValue]) throws(DictationError) -> String {
        let reply: BusMessage
        do throws(DictationError) {
            reply = try bus.call(Self.name, Self.path, Self.shortcuts, member, values)
        } catch {
            throw DictationError(
                .unsupportedOption, "This desktop has no portal for global shortcuts.",
                recovery: "Bind a key to a program that toggles dictation, in the desktop's settings.",
                underlying: error.underlying)
        }
        guard let request = reply.objectPath() else { throw .declined() }
        return request
    }

    /// The code of the portal's answer to a request; `nil` for another message.
    private func answer(_ message: BusMessage, to request: String) -> UInt32? {
        guard message.isSignal("org.freedesktop.portal.Request", "Response"), message.path == request else {
            return nil
        }
        return message.number32() ?? 2
    }

    private func giveUp(_ error: DictationError) {
        bound(.failure(error))
        step = .over
        isOver = true
    }
}

extension DictationError {
    static func declined(_ code: UInt32 = 2) -> DictationError {
        DictationError(
            .cancelled, code == 1 ? "No key was chosen for dictation." : "The desktop gave no key for dictation.",
            recovery:
                "Try again and choose a key, or bind one to a program that toggles dictation, in the desktop's settings."
        )
    }
}
#endif
