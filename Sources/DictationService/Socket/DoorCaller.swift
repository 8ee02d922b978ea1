import DictationCore

/// A caller of a service, on a door's thread: its requests that wait for their answers, and the take that it holds.
final class DoorCaller {
    /// The take that the caller holds.
    private struct Hold {
        /// The request that began it.
        let id: Int
        let take: TakeID
        var watch: HoldWatch
        let timer: Task<Void, Never>
    }

    let number: UInt64
    private let service: DictationService
    private let post: DoorPost
    private let limits: DictationDoor.Limits
    /// Requests that wait for their answers, by the order in which they came.
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var requestCount = 0
    private var following: Task<Void, Never>?
    /// The number of the caller's keyboard, if it has offered one.
    private var keyboard: Int?
    private var hold: Hold? { didSet { if hold?.take != oldValue?.take { oldValue?.timer.cancel() } } }

    init(number: UInt64, service: DictationService, post: DoorPost, limits: DictationDoor.Limits) {
        self.number = number
        self.limits = limits
        self.service = service
        self.post = post
    }

    /// The number of requests that wait for their answers.
    var waitingCount: Int { tasks.count }
    var isHolding: Bool { hold != nil }
    var isFollowing: Bool { following != nil }
    var isOffering: Bool { keyboard != nil }

    /// Carries out a request.
    ///
    /// - Returns: The answer, if there is nothing to wait for. Otherwise the answer comes by post.
    func handle(_ request: WireRequest) -> WireReply? {
        let id = request.id
        switch request.kind {
        case .intent(let intent):
            let service = service
            let issued = service.issue(intent)
            answer(id) { () throws(DictationError) in .answer(try await service.answer(to: issued)) }
        case .hold(let profile, let answersPings): return beginHold(id, profile, answersPings: answersPings)
        case .pong: hold?.watch.pong()
        case .release:
            guard let hold else { return WireReply(id: id, content: .answer(.nothing)) }
            release(hold.take, for: id)
        case .follow: follow(id)
        case .reload:
            let service = service
            answer(id) { () throws(DictationError) in
                try await service.reloadSettings()
                return .answer(.status(service.board.status))
            }
        case .keyboard:
            return WireReply(
                id: id, content: service.keyboards.areThere ? .answer(.nothing) : .failure(.noKeyboard))
        case .offerFields:
            keyboard.map(service.keyboards.disconnect)
            let (post, number) = (post, number)
            keyboard = service.keyboards.connect {
                post.send(.order(WireReply(id: id, content: .order($0))), to: number)
            }
            return WireReply(id: id, content: .answer(.nothing))
        case .report(let report): if let keyboard { service.keyboards.note(report, of: keyboard) }
        }
        return nil
    }

    /// Notes that an answer has come by post.
    func note(_ reply: WireReply, to request: Int) {
        tasks[request] = nil
        if case .failure = reply.content, let hold, hold.id == reply.id {
            service.dropHold(of: hold.take)
            self.hold = nil
        }
    }

    /// Releases the held take. Its text is the answer to the request that began the hold.
    func releaseHold() { if let hold { release(hold.take, for: hold.id) } }

    /// Looks at the held take once its time has come.
    ///
    /// - Returns: A ping; or an error that ends the connection, if the caller has answered none. The text is then kept. A
    ///   caller that can't answer gets its text by post.
    func checkHold(of take: TakeID) -> WireReply? {
        guard let id = hold?.id, hold?.take == take, let step = hold?.watch.next() else { return nil }
        if step == .ping { return WireReply(id: id, content: .ping) }
        guard hold?.watch.answersPings == true else {
            releaseHold()
            return nil
        }
        service.dropHold(of: take)
        hold = nil
        return WireReply(id: nil, content: .failure(.silentHolder))
    }

    /// Gives up everything that the caller asked for and has not got. Its texts are kept.
    func leave() {
        for task in tasks.values { task.cancel() }
        tasks = [:]
        following?.cancel()
        keyboard.map(service.keyboards.disconnect)
        keyboard = nil
        if let hold { service.dropHold(of: hold.take) }
        hold = nil
    }

    private func beginHold(_ id: Int, _ profile: String?, answersPings: Bool) -> WireReply? {
        let begun: IssuedCommand
        do throws(DictationError) { begun = try service.beginHold(profile: profile) } catch {
            return WireReply(id: id, content: .failure(error))
        }
        guard let take = begun.take else { return nil }
        // The caller may not have asked for the text of an earlier hold that ended by itself.
        if let hold { service.dropHold(of: hold.take) }
        let interval = answersPings ? limits.pingInterval : limits.silentHoldTimeout
        let (runtime, post, number) = (service.runtime, post, number)
        let timer = runtime.task {
            while (try? await runtime.sleep(interval)) != nil { post.send(.holdDue(take), to: number) }
        }
        hold = Hold(id: id, take: take, watch: HoldWatch(answersPings: answersPings), timer: timer)
        answer(id) { () throws(DictationError) in
            try await begun.microphoneOpened()
            return .holding(take)
        }
        return nil
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

extension DictationError {
    fileprivate static let silentHolder = DictationError(
        .timedOut, "The program that held the take stopped answering, so the take has ended.",
        recovery: "Ask for the last text: it is kept.")
}
