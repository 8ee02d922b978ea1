import DictationCore
import DictationSystem

/// A client of a listener, on the listener's thread.
final class ListenerConnection {
    private(set) var isOver = false
    private let connection: Descriptor
    private let caller: RequestHandler
    private let limits: ServiceListener.Limits
    /// Whether the client came when all places were taken, so that it may only end a take.
    private let isInReserve: Bool
    private let greetingTimer: Task<Void, Never>

    private var conversation = Conversation()
    private var unsent: ArraySlice<UInt8>
    /// The newest status. It waits until the client has read everything before it.
    private var status: WireReply?
    /// Whether the client sends nothing more. It may still read.
    private var hasEnded = false
    private var closesWhenSent = false

    init(
        _ connection: consuming Descriptor, number: UInt64, service: DictationService, queue: MessageQueue,
        limits: ServiceListener.Limits, isInReserve: Bool = false
    ) {
        self.connection = connection
        caller = RequestHandler(number: number, service: service, queue: queue, limits: limits)
        self.limits = limits
        self.isInReserve = isInReserve
        let runtime = service.runtime
        greetingTimer = runtime.task {
            if (try? await runtime.sleep(limits.greetingTimeout)) != nil { queue.send(.greetingDue, to: number) }
        }
        unsent = WireLine.bytes(WireHello())[...]
        // Statuses that wait in the kernel get old, so only a few may.
        var size: Int32 = 1 << 14
        setsockopt(self.connection.number, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    var number: UInt64 { caller.number }

    /// Whether the client asks for nothing, so that another may have its place.
    var isSilent: Bool { caller.waitingCount == 0 && !caller.isHolding && !caller.isFollowing && !caller.isOffering }

    /// What `poll` waits for. It always reports a client that is gone.
    var wait: pollfd {
        let reads = !hasEnded && !isBusy ? Int32(POLLIN) : 0
        let writes = unsent.isEmpty ? 0 : Int32(POLLOUT)
        return pollfd(fd: connection.number, events: Int16(reads | writes), revents: 0)
    }

    /// Whether the client has asked for so much that its next requests wait.
    private var isBusy: Bool { closesWhenSent || caller.waitingCount >= limits.requests || unsent.count > 1 << 16 }

    // MARK: Events

    /// Reads and writes what is possible.
    func work(_ events: Int16) {
        if Int32(events) & POLLIN != 0, !hasEnded, !isBusy { read() }
        // A client that is gone reads no answer. One that only stopped sending does.
        if Int32(events) & (POLLHUP | POLLERR | POLLNVAL) != 0 {
            handleRequests()
            isOver = true
        }
    }

    /// Takes a message from a task.
    func take(_ content: MessageQueue.Message.Content) {
        switch content {
        case .reply(let reply, let request):
            caller.note(reply, to: request)
            send(reply)
        case .status(let status): self.status = status
        case .order(let order): send(order)
        case .holdDue(let take):
            guard let reply = caller.checkHold(of: take) else { return }
            send(reply)
            if case .failure = reply.content { closesWhenSent = true }
        case .greetingDue where !conversation.isGreeted:
            refuse(.noGreeting)
            closesWhenSent = true
        case .greetingDue: break
        }
    }

    /// Does what became possible: handles requests, writes, closes.
    func goOn() {
        guard !isOver else { return }
        handleRequests()
        write()
        let isDone = unsent.isEmpty && caller.waitingCount == 0 && !caller.isHolding
        if isDone, closesWhenSent || hasEnded && !caller.isFollowing && !isBusy { isOver = true }
    }

    /// Makes room for another client.
    func giveWay() {
        refuse(.crowded(limits))
        write()
        leave()
    }

    /// Gives up everything that the client asked for and has not got.
    func leave() {
        isOver = true
        greetingTimer.cancel()
        caller.leave()
    }

    // MARK: Bytes

    private func read() {
        var block = [UInt8](repeating: 0, count: 1 << 14)
        guard let count = connection.receive(into: &block) else { return }
        hasEnded = count == 0
        // The last line may lack its end.
        conversation.receive(hasEnded ? [UInt8(ascii: "\n")] : block[..<count])
    }

    private func write() {
        while true {
            if unsent.isEmpty, let status {
                self.status = nil
                unsent = WireLine.bytes(status)[...]
            }
            guard !unsent.isEmpty else { return }
            guard let count = connection.send(unsent) else {
                isOver = true
                return
            }
            guard count > 0 else { return }
            unsent = unsent.dropFirst(count)
        }
    }

    private func send(_ reply: WireReply) {
        guard unsent.count <= limits.unreadBytes else {
            isOver = true
            return
        }
        unsent += WireLine.bytes(reply)
    }

    private func refuse(_ error: DictationError) { send(WireReply(id: nil, content: .failure(error))) }

    // MARK: Requests

    private func handleRequests() {
        while !isBusy, let step = conversation.next() {
            switch step {
            case .request(let request) where isInReserve && !request.kind.endsTake:
                send(WireReply(id: request.id, content: .failure(.crowded(limits))))
            case .request(let request): caller.handle(request).map(send)
            case .refuse(let error): refuse(error)
            case .refuseAndClose(let error):
                refuse(error)
                closesWhenSent = true
            }
        }
        // A client that holds a take and stops sending has released it, and waits for the text.
        if hasEnded, !isBusy { caller.releaseHold() }
    }
}

extension DictationError {
    static func crowded(_ limits: ServiceListener.Limits) -> DictationError {
        DictationError(
            .alreadyRunning, "\(limits.clients) clients are connected, and no more are allowed.",
            recovery: "Disconnect one, then try again. A take can be stopped and cancelled all the same.")
    }

    fileprivate static let noGreeting = DictationError(
        .timedOut, "No greeting has come in time.", recovery: noHello.recovery)
}
