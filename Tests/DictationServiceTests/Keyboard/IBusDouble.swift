#if SystemBus
import CSystemd
import DictationCore
import DictationSystem
import Synchronization
import TestSupport
import Testing

@_spi(Command) @testable import DictationDesktop
@testable import DictationService

/// An ibus-daemon that moves the focus when a test says so.
final class IBusDouble: Sendable {
    struct State: Sendable {
        /// Whether the keyboard is the active one.
        var isSelected = false
        /// The contexts that the next questions for the focus find. The last one stays.
        var contexts = [""]
        /// The calls that the keyboard has not answered yet.
        var calls = 0
        var commits: [String] = []
        /// The place and the length of each text that was deleted.
        var deletions: [[Int]] = []
    }

    private let state = Mutex(State())
    private let waiting = Mutex<[(member: String, values: [BusValue])]>([])
    private let queue: MessageQueue

    init(on bus: TestBus) throws {
        queue = try MessageQueue()
        let connection = try BusConnection(.address(bus.address))
        try #require(try connection.take(name: IBusEngine.daemon))
        try connection.listen("type='signal',interface='org.freedesktop.IBus.Engine'")
        let isStarted = SystemThread.start(named: "ibus-double") { [queue, weak self] in
            BusLoop.run(connection, queue, IBusDoubleWork(connection) { self })
        }
        try #require(isStarted)
    }

    deinit { queue.close() }

    var seen: State { state.withLock { $0 } }
    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Tells the keyboard of a new focus.
    func move(from old: String? = nil, to context: String, text: String) {
        if let old { call("FocusOutId", [.string(old)]) }
        call("FocusInId", [.string(context), .string("gtk3-im:test")])
        call("SetCapabilities", [.number32(1 << 5)])
        tell(text)
    }

    /// Tells the keyboard the text of the field, with the cursor at its end.
    func tell(_ text: String) {
        let end = UInt32(text.unicodeScalars.count)
        call("SetSurroundingText", [IBusValues.text(text), .number32(end), .number32(end)])
    }

    /// Waits until the keyboard has answered all calls. Its signals come before its answers.
    func settle() async { #expect(await eventually { self.seen.calls == 0 }) }

    private func call(_ member: String, _ values: [BusValue]) {
        change { $0.calls += 1 }
        waiting.withLock { $0.append((member, values)) }
        queue.wakeUp()
    }

    fileprivate func next() -> (member: String, values: [BusValue])? {
        waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

private final class IBusDoubleWork: BusServer {
    private static let engine = "/org/swift_dictation/Engine/1"
    private static let interface = "org.freedesktop.IBus.Engine"
    private let bus: BusConnection
    private let double: () -> IBusDouble?
    private var creation: UInt64?

    init(_ bus: BusConnection, _ double: @escaping () -> IBusDouble?) { (self.bus, self.double) = (bus, double) }

    func receive(_ message: BusMessage) {
        if let call = message.answeredCall {
            if call == creation {
                double()?.change { $0.isSelected = true }
            } else {
                double()?.change { $0.calls -= 1 }
            }
        } else if message.isSignal(Self.interface, "CommitText") {
            let text = message.inside("v", "(sa{sv}sv)") {
                message.inside("r", "sa{sv}sv") { () -> String? in
                    message.skip("sa{sv}")
                    return message.string()
                }
            }
            if let text = text.flatMap({ $0 }).flatMap({ $0 }) { double()?.change { $0.commits.append(text) } }
        } else if message.isSignal(Self.interface, "DeleteSurroundingText") {
            var place: Int32 = 0
            sd_bus_message_read_basic(message.pointer, CChar(UInt8(ascii: "i")), &place)
            let count = Int(message.number32() ?? 0)
            double()?.change { [place] in $0.deletions.append([Int(place), count]) }
        } else if message.isCall {
            bus.answer(message, answer(message))
        }
    }

    private func answer(_ message: BusMessage) -> [BusValue] {
        switch message.member {
        case "GetEnginesByNames": return [.variant(.array(of: "v", []))]
        case "Get":
            var context = ""
            double()?.change { state in
                context = state.contexts.count > 1 ? state.contexts.removeFirst() : state.contexts[0]
            }
            return [.variant(.path(context))]
        case "SetGlobalEngine":
            creation = try? bus.send(
                message.sender ?? "", "/org/freedesktop/IBus/Factory", "org.freedesktop.IBus.Factory", "CreateEngine",
                [.string("dictation")])
            return []
        default: return []
        }
    }

    func rest() -> Int32 {
        while let call = double()?.next() {
            _ = try? bus.send(IBusInstallation.component, Self.engine, Self.interface, call.member, call.values)
        }
        return -1
    }
}
#endif
