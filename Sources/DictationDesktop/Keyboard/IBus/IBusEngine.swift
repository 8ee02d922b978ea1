#if SystemBus
import DictationCore
import DictationSystem

/// The engine that ibus-daemon talks to, on a connection's thread. An ``IBusMachine`` decides; this carries it out.
final class IBusEngine: BusServer {
    static let daemon = "org.freedesktop.IBus"
    static let daemonPath = "/org/freedesktop/IBus"

    private let bus: BusConnection
    private let keyboard: DictationKeyboard
    private let actions: KeyboardActions
    private var machine: IBusMachine
    private var engineCount = 0

    /// Offers the engine to the daemon.
    ///
    /// - Parameter number: The number of the connection.
    init(
        _ bus: BusConnection, _ keyboard: DictationKeyboard, _ actions: KeyboardActions, _ keys: IBusKeyboard.Keys,
        number: Int, isSelected: Bool
    ) throws(DictationError) {
        self.bus = bus
        self.keyboard = keyboard
        self.actions = actions
        machine = IBusMachine(keys, connection: number)
        guard try Self.takeName(on: bus) else {
            throw DictationError(
                .alreadyRunning, "Another program already offers the dictation keyboard to IBus.",
                recovery: "Use it, or end it first.")
        }
        if try !Self.isKnown(to: bus) {
            _ = try bus.call(Self.daemon, Self.daemonPath, Self.daemon, "RegisterComponent", [IBusValues.component])
        }
        // The daemon answers only after it has made an engine, so nobody waits for it.
        if isSelected {
            _ = try bus.send(
                Self.daemon, Self.daemonPath, Self.daemon, "SetGlobalEngine", [.string(IBusInstallation.engine)])
        }
    }

    private static func takeName(on bus: BusConnection) throws(DictationError) -> Bool {
        // 4: do not wait until the name is free. 1: it is ours.
        let values = [BusValue.string(IBusInstallation.component), .number32(4)]
        let daemon = BusConnection.daemon
        return try bus.call(daemon, "/org/freedesktop/DBus", daemon, "RequestName", values).number32() == 1
    }

    /// Whether the daemon knows the engine from an installed file.
    private static func isKnown(to bus: BusConnection) throws(DictationError) -> Bool {
        let names = BusValue.array(of: "s", [.string(IBusInstallation.engine)])
        let reply = try bus.call(daemon, daemonPath, daemon, "GetEnginesByNames", [names])
        return reply.inside("a", "v") { reply.hasMore } ?? false
    }

    // MARK: Server

    func receive(_ message: BusMessage) {
        let now = SystemClock.now
        if let question = message.answeredCall {
            machine.answered(question, with: message.inside("v", "o") { message.objectPath() }, at: now)
        } else if message.isCall, let call = IBusCall(message) {
            let isTaken = machine.handle(call, isRecording: keyboard.isRecording, at: now)
            bus.answer(message, answer(to: call, isTaken: isTaken))
        } else if message.isCall {
            bus.refuse(message, "org.freedesktop.DBus.Error.UnknownMethod", "There is no such method.")
        }
        carryOut()
    }

    private func answer(to call: IBusCall, isTaken: Bool) -> [BusValue] {
        switch call {
        case .create:
            engineCount += 1
            return [.path(IBusMachine.enginePath + "\(engineCount)")]
        case .wish: return [.variant(.flag(true))]
        case .allProperties: return [.dictionary([])]
        case .key: return [.flag(isTaken)]
        default: return []
        }
    }

    func rest() -> Int32 {
        carryOut()
        let now = SystemClock.now
        let due = machine.look(at: now)
        carryOut()
        return due.map { Int32(max(0, (($0 - now) / .milliseconds(1)).rounded(.up))) } ?? -1
    }

    func end() {
        machine.end()
        carryOut()
    }

    /// Does what the machine and the keyboard ask for, until neither asks for more.
    private func carryOut() {
        while true {
            let pending = machine.takeActions()
            for action in pending {
                switch action {
                case .tell(let event): keyboard.handle(event)
                case .signal(let engine, let member, let values): bus.signal(engine, IBusCall.engine, member, values)
                case .commit(let writing): commit(writing)
                }
            }
            guard pending.isEmpty else { continue }
            guard let next = actions.next() else { return }
            machine.perform(next)
        }
    }

    private func commit(_ writing: IBusMachine.Writing) {
        let first = askForFocus()
        var second: UInt64?
        if first != nil {
            bus.signal(writing.engine, IBusCall.engine, "CommitText", [IBusValues.text(writing.text)])
            bus.signal(writing.engine, IBusCall.engine, "RequireSurroundingText", [])
            second = askForFocus()
        }
        machine.committed(writing, first: first, second: second)
    }

    /// Asks which context has the focus; the number of the question.
    private func askForFocus() -> UInt64? {
        try? bus.send(
            Self.daemon, Self.daemonPath, IBusCall.properties, "Get",
            [.string(Self.daemon), .string("CurrentInputContext")])
    }
}
#endif
