import DictationCore
import DictationPlatform

/// A client of a door, on the door's thread.
final class DoorClient {
    let number: UInt64
    private(set) var isOver = false
    private let connection: Descriptor
    private let service: DictationService
    private let post: DoorPost
    private let limits: DictationDoor.Limits

    private var conversation = Conversation()
    private var unsent: ArraySlice<UInt8>
    /// The newest status. It waits until the client has read everything before it.
    private var status: WireReply?
    /// Requests that wait for their answers, by the order in which they came.
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var requestCount = 0
    private var following: Task<Void, Never>?
    private var hold: (id: Int, take: TakeID)?
    /// Whether the client sends nothing more. It may still read.
    private var hasEnded = false
    private var closesWhenSent = false

    init(
        _ connection: consuming Descriptor, number: UInt64, service: DictationService, post: DoorPost,
        limits: DictationDoor.Limits
    ) {
        self.connection = connection
        self.number = number
        self.service = service
        self.post = post
        self.limits = limits
        unsent = WireLine.bytes(WireHello())[...]
        // Statuses that wait in the kernel get old, so only a few may.
        var size: Int32 = 1 << 14
        setsockopt(self.connection.number, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// What `poll` waits for. It always reports a client that is gone.
    var wait: pollfd {
        let reads = !hasEnded && !isBusy ? Int32(POLLIN) : 0
        let writes = unsent.isEmpty ? 0 : Int32(POLLOUT)
        return pollfd(fd: connection.number, events: Int16(reads | writes), revents: 0)
    }

    /// Whether the client has asked for so much that its next requests wait.
    private var isBusy: Bool { closesWhenSent || tasks.count >= limits.requests || unsent.count > 1 << 16 }

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
    func take(_ content: DoorPost.Message.Content) {
        switch content {
        case .reply(let reply, let request):
            tasks[request] = nil
            if case .failure = reply.content, let hold, hold.id == reply.id {
                service.dropHold(of: hold.take)
                self.hold = nil
            }
            send(reply)
        case .status(let status): self.status = status
        }
    }

    /// Does what became possible: handles requests, writes, closes.
    func goOn() {
        guard !isOver else { return }
        handleRequests()
        write()
        let isDone = unsent.isEmpty && tasks.isEmpty && hold == nil
        if isDone, closesWhenSent || hasEnded && following == nil && !isBusy { isOver = true }
    }

    /// Gives up everything that the client asked for and has not got.
    func leave() {
        isOver = true
        for task in tasks.values { task.cancel() }
        tasks = [:]
        following?.cancel()
        if let hold { service.dropHold(of: hold.take) }
        hold = nil
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

    // MARK: Requests

    private func handleRequests() {
        while !isBusy, let step = conversation.next() {
            switch step {
            case .request(let request): handle(request)
            case .refuse(let error): send(WireReply(id: nil, content: .failure(error)))
            case .refuseAndClose(let error):
                send(WireReply(id: nil, content: .failure(error)))
                closesWhenSent = true
            }
        }
        // A client that holds a take and stops sending has released it, and waits for the text.
        if hasEnded, !isBusy, let hold { release(hold.take, for: hold.id) }
    }

    private func handle(_ request: WireRequest) {
        let id = request.id
        switch request.kind {
        case .intent(let intent):
            let service = service
            let issued = service.issue(intent)
            answer(id) { () throws(DictationError) in .answer(try await service.answer(to: issued)) }
        case .hold(let profile): beginHold(id, profile)
        case .release:
            guard let hold else { return send(WireReply(id: id, content: .answer(.nothing))) }
            release(hold.take, for: id)
        case .follow: follow(id)
        case .reload:
            let service = service
            answer(id) { () throws(DictationError) in
                try await service.reloadSettings()
                return .answer(.status(service.board.status))
            }
        }
    }

    private func beginHold(_ id: Int, _ profile: String?) {
        let begun: IssuedCommand
        do throws(DictationError) { begun = try service.beginHold(profile: profile) } catch {
            return send(WireReply(id: id, content: .failure(error)))
        }
        guard let take = begun.take else { return }
        hold = (id, take)
        answer(id) { () throws(DictationError) in
            try await begun.microphoneOpened()
            return .holding(take)
        }
    }

    private func release(_ take: TakeID, for id: Int) {
        hold = nil
        let desk = service.desk
        let promise = service.endHold(of: take)
        answer(id) { () throws(DictationError) in .answer(try await desk.answer(to: promise)) }
    }

    private func follow(_ id: Int) {
        following?.cancel()
        let (updates, post, number) = (service.board.updates(), post, number)
        following = service.runtime.task {
            var statuses = updates.makeAsyncIterator()
            while let status = try? await statuses.next() {
                post.send(.status(WireReply(id: id, content: .answer(.status(status)))), to: number)
            }
        }
    }

    /// Answers a request once its answer is there.
    private func answer(
        _ id: Int, _ content: @escaping @Sendable () async throws(DictationError) -> WireReply.Content
    ) {
        requestCount += 1
        let (post, number, request) = (post, number, requestCount)
        tasks[request] = service.runtime.task {
            let answer: WireReply.Content
            do throws(DictationError) { answer = try await content() } catch { answer = .failure(error) }
            post.send(.reply(WireReply(id: id, content: answer), request: request), to: number)
        }
    }
}
