#if SystemBus
import DictationCore
import DictationPlatform
import Synchronization

/// Lets the service and other programs of the user write through the keyboard, on the bus of the session.
final class KeyboardDoor: Sendable {
    static let name = "org.swift_dictation.Keyboard1"
    static let path = "/org/swift_dictation/Keyboard1"

    private let post: DoorPost
    private let answers = Mutex<[(number: Int, outcome: KeyboardBridge.Insertion)]>([])

    private init(_ post: DoorPost) { self.post = post }

    deinit { post.close() }

    /// Opens the door of a keyboard.
    ///
    /// - Throws: `notRunning` if there is no bus, and `alreadyRunning` if another keyboard has the name.
    static func open(_ keyboard: DictationKeyboard, at address: String?) throws(DictationError) -> KeyboardDoor {
        let bus = try BusConnection(address.map { .address($0) } ?? .session)
        guard bus.owner == geteuid() else {
            throw DictationError(
                .permissionDenied, "The bus belongs to another user.", recovery: "Use the bus of your own session.")
        }
        guard try bus.take(name: name) else {
            throw DictationError(
                .alreadyRunning, "Another dictation keyboard is on the bus.", recovery: "Use it, or end it first.")
        }
        let post = try DoorPost()
        let door = KeyboardDoor(post)
        let isStarted = SystemThread.start(named: "dictation-keyboard-door") { [weak door] in
            guard let work = door.map({ KeyboardDoorWork(bus, keyboard, $0.next) }) else { return }
            BusLoop.run(bus, post, work)
        }
        guard isStarted else { throw .noThread }
        return door
    }

    /// Notes what became of a text.
    func note(_ number: Int, _ outcome: KeyboardBridge.Insertion) {
        answers.withLock { $0.append((number, outcome)) }
        post.wakeUp()
    }

    private var next: () -> (number: Int, outcome: KeyboardBridge.Insertion)? {
        { [weak self] in self?.answers.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }
}

/// The work of the door's thread.
private final class KeyboardDoorWork: BusServer {
    private let bus: BusConnection
    private let keyboard: DictationKeyboard
    private let next: () -> (number: Int, outcome: KeyboardBridge.Insertion)?
    /// The calls that wait for what becomes of their text.
    private var calls: [Int: BusMessage] = [:]
    private var count = 0

    init(
        _ bus: BusConnection, _ keyboard: DictationKeyboard,
        _ next: @escaping () -> (number: Int, outcome: KeyboardBridge.Insertion)?
    ) {
        self.bus = bus
        self.keyboard = keyboard
        self.next = next
    }

    func receive(_ message: BusMessage) {
        guard message.isCall else { return }
        guard message.path == KeyboardDoor.path, message.interface ?? KeyboardDoor.name == KeyboardDoor.name else {
            return bus.refuse(message, "org.freedesktop.DBus.Error.UnknownObject", "There is no such object.")
        }
        switch (message.member, message.signature) {
        case ("Focus", ""): bus.answer(message, [.string(keyboard.field?.id ?? "")])
        case ("Preview", "ss"):
            guard let text = message.string(), let field = message.string() else { return }
            keyboard.handle(.show(text, in: field.isEmpty ? nil : field))
            bus.answer(message, [])
        case ("Deliver", "tss"):
            guard let take = message.number64(), let text = message.string(), let field = message.string() else {
                return
            }
            count += 1
            calls[count] = message
            keyboard.handle(
                .insert(
                    KeyboardBridge.InsertedText(
                        text, number: count, take: take == 0 ? nil : TakeID(number: Int(clamping: take)),
                        field: field.isEmpty ? nil : field)))
        default:
            bus.refuse(message, "org.freedesktop.DBus.Error.UnknownMethod", "There is no such method.")
        }
    }

    func rest() -> Int32 {
        while let (number, outcome) = next() {
            guard let call = calls.removeValue(forKey: number) else { continue }
            let delivery = outcome.delivery
            bus.answer(call, [.string(delivery.name), .string(delivery.reason ?? "")])
        }
        return -1
    }
}

extension KeyboardBridge.Insertion {
    /// What a destination says of it.
    fileprivate var delivery: DeliveryOutcome {
        switch self {
        case .written: .delivered
        case .noField: .noField
        case .moved: .refused("The focus has moved since the take began.")
        case .unsure: .incomplete("The focus moved while the text was written.")
        case .refused(let secret): .refused(KeyboardBridge.Notice.refused(secret).words)
        }
    }
}
#endif
