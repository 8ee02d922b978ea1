package import DictationCore

/// A caller of a service, on a listener's thread: its requests that wait for their answers, and the take that it holds.
package final class RequestHandler {
    /// The take that the caller holds.
    private struct Hold {
        /// The request that began it.
        let id: Int
        let take: TakeID
        var watch: HoldWatch
        let timer: Task<Void, Never>
    }

    package let number: UInt64
    private let service: DictationService
    private let queue: MessageQueue
    private let limits: ServiceListener.Limits
    /// Requests that wait for their answers, by the order in which they came.
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var requestCount = 0
    private var following: Task<Void, Never>?
    /// The number of the caller's keyboard, if it has offered one.
    private var keyboard: Int?
    private var hold: Hold? { didSet { if hold?.take != oldValue?.take { oldValue?.timer.cancel() } } }

    package init(number: UInt64, service: DictationService, queue: MessageQueue, limits: ServiceListener.Limits) {
        self.number = number
        self.limits = limits
        self.service = service
        self.queue = queue
    }

    /// The number of requests that wait for their answers.
    package var waitingCount: Int { tasks.count }
    package var isHolding: Bool { hold != nil }
    package var isFollowing: Bool { following != nil }
    package var isOffering: Bool { keyboard != nil }

    /// Carries out a request.
    ///
    /// - Returns: The answer, if there is nothing to wait for. Otherwise the answer comes through the queue.
    package func handle(_ request: WireRequest) -> WireReply? {
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
                return .answer(.status(service.publisher.status))
            }
        case .keyboard:
            return WireReply(
                id: id, content: service.keyboards.areThere ? .answer(.nothing) : .failure(.noKeyboard))
        case .offerFields:
            keyboard.map(service.keyboards.disconnect)
            let (queue, number) = (queue, number)
            keyboard = service.keyboards.connect {
                queue.send(.order(WireReply(id: id, content: .order($0))), to: number)
            }
            return WireReply(id: id, content: .answer(.nothing))
        case .report(let report): if let keyboard { service.keyboards.note(report, of: keyboard) }
        }
        return nil
    }

    /// Notes that an answer has come through the queue.
    package func note(_ reply: WireReply, to request: Int) {
        tasks[request] = nil
        if case .failure = reply.content, let hold, hold.id == reply.id {
            service.dropHold(of: hold.take)
            self.hold = nil
        }
    }

    /// Releases the held take. Its text is the answer to the request that began the hold.
    package func releaseHold() { if let hold { release(hold.take, for: hold.id) } }

    /// Looks at the held take once its time has come.
    ///
    /// - Returns: A ping; or an error that ends the connection, if the caller has answered none. The text is then kept. A
    ///   caller that can't answer gets its text through the queue.
    package func checkHold(of take: TakeID) -> WireReply? {
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
    package func leave() {
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
        let (runtime, queue, number) = (service.runtime, queue, number)
        let timer = runtime.task {
            while (try? await runtime.sleep(interval)) != nil { queue.send(.holdDue(take), to: number) }
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
        let texts = service.texts
        let promise = service.endHold(of: take)
        answer(id) { () throws(DictationError) in .answer(try await texts.answer(to: promise)) }
    }

    private func follow(_ id: Int) {
        following?.cancel()
        let (updates, queue, number) = (service.publisher.updates(), queue, number)
        following = service.runtime.task {
            var statuses = updates.makeAsyncIterator()
            while let status = try? await statuses.next() {
                queue.send(.status(WireReply(id: id, content: .answer(.status(status)))), to: number)
            }
        }
    }

    /// Answers a request once its answer is there.
    private func answer(
        _ id: Int, _ content: @escaping @Sendable () async throws(DictationError) -> WireReply.Content
    ) {
        requestCount += 1
        let (queue, number, request) = (queue, number, requestCount)
        tasks[request] = service.runtime.task {
            let answer: WireReply.Content
            do throws(DictationError) { answer = try await content() } catch { answer = .failure(error) }
            queue.send(.reply(WireReply(id: id, content: answer), request: request), to: number)
        }
    }
}

extension DictationError {
    fileprivate static let silentHolder = DictationError(
        .timedOut, "The program that held the take stopped answering, so the take has ended.",
        recovery: "Ask for the last text: it is kept.")
}
