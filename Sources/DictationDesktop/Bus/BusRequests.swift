#if SystemBus
import DictationCore
import DictationService
import DictationSystem

/// The work of a bus listener's thread: answers calls, and tells everybody about changes of the status.
final class BusRequests: BusServer {
    /// A caller, and its calls that wait for their answers.
    private struct Caller {
        let handler: RequestHandler
        var calls: [Int: BusMessage] = [:]
    }

    /// The shortest time between two signals that tell about levels and words.
    private static let signalInterval = Duration.milliseconds(50)
    /// More signals than this are not queued for a bus that hangs.
    private static let unsentLimit: UInt64 = 64

    private let bus: BusConnection
    private let service: DictationService
    private let queue: MessageQueue
    private let limits: ServiceListener.Limits
    private let following: Task<Void, Never>
    /// Whoever waits for an answer or holds a take, by the name on the bus.
    private var callers: [String: Caller] = [:]
    private var callerCount: UInt64 = 0
    private var callCount = 0
    private var shown: [BusValue.Entry]
    private var shownAt = SystemClock.now - signalInterval

    init(_ bus: BusConnection, service: DictationService, queue: MessageQueue, limits: ServiceListener.Limits) {
        self.bus = bus
        self.service = service
        self.queue = queue
        self.limits = limits
        shown = BusInterface.properties(of: service.publisher.status)
        let updates = service.publisher.updates()
        following = service.runtime.task {
            var statuses = updates.makeAsyncIterator()
            while let _ = try? await statuses.next() { queue.wakeUp() }
        }
    }

    // MARK: Server

    func take(_ messages: MessageQueue.Messages) {
        for message in messages.all {
            guard let (name, caller) = callers.first(where: { $1.handler.number == message.client }) else { continue }
            switch message.content {
            case .reply(let reply, let request):
                caller.handler.note(reply, to: request)
                answer(reply, name)
            // Nobody waits for an answer.
            case .holdDue(let take): _ = caller.handler.checkHold(of: take)
            case .status, .order, .greetingDue: break
            }
            forget(name)
        }
    }

    func receive(_ message: BusMessage) {
        if message.isSignal(BusConnection.daemon, "NameOwnerChanged"), message.sender == BusConnection.daemon {
            // A name that has no new owner is gone.
            if let name = message.string(), message.string() != nil, message.string() == "" { leave(name) }
        } else if message.isCall {
            handle(message)
        }
    }

    func rest() -> Int32 {
        let status = service.publisher.status
        let properties = BusInterface.properties(of: status)
        guard properties != shown else { return -1 }
        let due = shownAt + Self.signalInterval
        let now = SystemClock.now
        // A new state is told at once.
        guard properties.first != shown.first || now >= due else {
            return Int32(((due - now) / .milliseconds(1)).rounded(.up))
        }
        guard bus.unsentCount < Self.unsentLimit else { return 1_000 }
        let changes = zip(properties, shown).filter { $0 != $1 }.map(\.0)
        (shown, shownAt) = (properties, now)
        bus.signal(
            BusInterface.path, BusInterface.properties, "PropertiesChanged",
            [.string(BusInterface.name), .dictionary(changes), .array(of: "s", [])])
        return -1
    }

    func end() {
        following.cancel()
        for caller in callers.values { caller.handler.leave() }
        callers = [:]
    }

    // MARK: Calls

    private func handle(_ message: BusMessage) {
        var strings: [String] = []
        while strings.count < 2, let text = message.string() { strings.append(text) }
        let call = BusCall(
            path: message.path ?? "", interface: message.interface, member: message.member ?? "",
            signature: message.signature, strings: strings)
        switch call {
        case .request(let kind): request(kind, message)
        case .introspect(let xml): bus.answer(message, [.string(xml)])
        case .properties: bus.answer(message, [.dictionary(BusInterface.properties(of: service.publisher.status))])
        case .property(let name):
            let all = BusInterface.properties(of: service.publisher.status)
            guard let property = all.first(where: { $0.name == name }) else {
                return bus.refuse(
                    message, "org.freedesktop.DBus.Error.UnknownProperty", "There is no property “\(name.visible)”.")
            }
            bus.answer(message, [.variant(property.value)])
        case .refuse(let name, let words): bus.refuse(message, name, words)
        }
    }

    private func request(_ kind: WireRequest.Kind, _ message: BusMessage) {
        let name = message.sender ?? ""
        let places = limits.clients + (kind.endsTake ? ServiceListener.Limits.reservedPlaces : 0)
        guard callers[name] != nil || callers.count < places,
            callers[name]?.handler.waitingCount ?? 0 < limits.requests
        else {
            return bus.refuse(
                message, "org.freedesktop.DBus.Error.LimitsExceeded",
                "Too many calls wait for their answers. Try again when some are answered.")
        }
        if callers[name] == nil {
            callerCount += 1
            callers[name] = Caller(
                handler: RequestHandler(number: callerCount, service: service, queue: queue, limits: limits))
        }
        callCount += 1
        callers[name]?.calls[callCount] = message
        let reply = callers[name]?.handler.handle(WireRequest(id: callCount, kind: kind))
        if let reply {
            answer(reply, name)
            forget(name)
        }
    }

    private func answer(_ reply: WireReply, _ name: String) {
        guard let id = reply.id, let call = callers[name]?.calls.removeValue(forKey: id) else { return }
        // Whoever knows the answer has been told what changed before.
        _ = rest()
        if case .failure(let error) = reply.content {
            bus.refuse(call, BusInterface.errorName(error), error.description)
        } else {
            bus.answer(call, BusInterface.values(reply.content))
        }
    }

    private func leave(_ name: String) {
        callers[name]?.handler.leave()
        callers[name] = nil
    }

    /// Forgets a caller that waits for nothing.
    private func forget(_ name: String) {
        guard let handler = callers[name]?.handler, handler.waitingCount == 0, !handler.isHolding else { return }
        callers[name] = nil
    }
}
#endif
