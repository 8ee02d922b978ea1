import Synchronization

/// What a session knows of its takes, and who listens: one lock, so that every change and the events that tell of it are
/// one step.
///
/// A take hands its events in and carries out the actions that follow. Nothing that is not ours runs under the lock:
/// actions only start tasks and wake who waits; tasks are cancelled, and objects released, after it.
final class EventHub: Sendable {
    private struct State {
        var machine = SessionMachine()
        /// The current take, or the last one, and before it those that are still ending.
        var takes: [TakeRecord] = []
        var listeners: [WeakListener] = []
        var finalsReaders: [WeakReader] = []
    }

    private struct WeakListener {
        weak var listener: Listener?
    }

    private struct WeakReader {
        weak var mailbox: Mailbox<SpeechResult, Never>?
    }

    /// What is left to do once the lock is released.
    private struct Leftovers {
        var tasks: [Task<Void, Never>] = []
        var takes: [Take] = []

        func clear() { for task in tasks { task.cancel() } }
    }

    private let state = Mutex(State())

    // MARK: What the session asks

    var dictationState: DictationState { state.withLock { $0.machine.state } }

    /// The current take, or the last one.
    var current: TakeRecord? { state.withLock { $0.takes.last } }

    func record(of id: TakeID) -> TakeRecord? { state.withLock { $0.takes.last { $0.id == id } } }

    /// Whether one of the takes has the microphone open.
    var isMicrophoneOpen: Bool { state.withLock { $0.takes.contains { $0.machine.stream != nil } } }

    /// Carries out a command. A new take is made by the closure, which is told what earlier takes still hold.
    @discardableResult
    func perform(
        _ command: (SessionMachine) -> SessionMachine.Command?,
        makeTake: (TakeID, [Watched<TakeProgress>]) -> TakeRecord?
    ) -> Answer {
        change { state, leftovers in
            let before = state.machine.state
            let effect = command(state.machine).flatMap { state.machine.handle($0) }
            var isNew = false
            var announced = before
            switch effect {
            case .open(let id), .retry(let id):
                let earlier = state.takes.filter { !$0.machine.isReleased }.map(\.progress)
                state.takes.removeAll { $0.driver == nil }
                if let record = makeTake(id, earlier) {
                    state.takes.append(record)
                    isNew = true
                }
                announce(&announced, &state)
                state.takes.last?.begin()
            case .pause: follow(.pause, state.machine.take, &announced, &state, &leftovers)
            case .resume: follow(.resume, state.machine.take, &announced, &state, &leftovers)
            case .drain: follow(.stop, state.machine.take, &announced, &state, &leftovers)
            case .abandon: follow(.cancel(keepsAudio: false), state.machine.take, &announced, &state, &leftovers)
            case nil: break
            }
            announce(&announced, &state)
            return Answer(take: state.takes.last, isNew: isNew, before: before)
        }
    }

    /// Where a command led: to which take, whether the command began it, and what the state was before.
    struct Answer {
        var take: TakeRecord?
        var isNew: Bool
        var before: DictationState
    }

    /// The session is gone: its take is thrown away, and its audio kept, since nobody said that it isn't wanted.
    func close() {
        let (listeners, readers) = change { state, leftovers in
            var announced = state.machine.state
            follow(.cancel(keepsAudio: true), state.machine.take, &announced, &state, &leftovers)
            return (state.listeners, state.finalsReaders)
        }
        for weak in listeners { weak.listener?.finish() }
        for weak in readers { weak.mailbox?.finish() }
    }

    // MARK: What takes tell

    /// Hands an event to a take; `false` when it is gone.
    @discardableResult
    func send(_ event: TakeMachine.Event, to id: TakeID) -> Bool {
        change { state, leftovers in
            var announced = state.machine.state
            return follow(event, id, &announced, &state, &leftovers)
        }
    }

    /// Changes what a take has recorded and understood, and tells what came of it. A take that is over is not changed,
    /// nor one by a stream that it left.
    @discardableResult
    func update<Answer>(
        _ id: TakeID, from stream: Int? = nil, _ change: (inout LiveTake) -> (Answer, [DictationEvent.Kind])
    ) -> Answer? {
        state.withLock { state in
            guard let index = state.takes.lastIndex(where: { $0.id == id }) else { return nil }
            let machine = state.takes[index].machine
            guard !machine.isOver, stream == nil || stream == machine.stream else { return nil }
            let (answer, kinds) = change(&state.takes[index].live)
            if !state.takes[index].machine.hasAudio {
                state.takes[index].machine.hasAudio = state.takes[index].live.position > .zero
            }
            publish(kinds, of: id, &state)
            return answer
        }
    }

    // MARK: Listeners

    /// A new listener, whose first event is a snapshot.
    func listen() -> Listener {
        let listener = Listener { [weak self] listener in
            self?.state.withLock { state in
                listener.followSnapshot()
                return Self.snapshot(of: state)
            }
        }
        state.withLock { state in
            state.listeners.removeAll { $0.listener == nil }
            state.listeners.append(WeakListener(listener: listener))
            listener.add(Self.snapshot(of: state))
        }
        return listener
    }

    /// A new reader of all results that become final from here on.
    func readFinals() -> FinalResults {
        let mailbox = Mailbox<SpeechResult, Never>()
        state.withLock { state in
            state.finalsReaders.removeAll { $0.mailbox == nil }
            state.finalsReaders.append(WeakReader(mailbox: mailbox))
        }
        return FinalResults(mailbox: mailbox)
    }

    private static func snapshot(of state: borrowing State) -> DictationEvent {
        let snapshot =
            state.takes.last?.snapshot(in: state.machine.state)
            ?? DictationSnapshot(take: state.machine.take, state: state.machine.state)
        return DictationEvent(take: snapshot.take, elapsed: snapshot.elapsed, kind: .snapshot(snapshot))
    }

    private func publish(_ kinds: [DictationEvent.Kind], of id: TakeID, _ state: inout State) {
        guard !kinds.isEmpty else { return }
        deliverFinals(of: id, &state)
        let isCurrent = state.machine.take == id
        let elapsed = state.takes.last { $0.id == id }?.live.position ?? .zero
        var hasGone = false
        for kind in kinds where isCurrent || kind.isEnd {
            for weak in state.listeners {
                guard let listener = weak.listener else {
                    hasGone = true
                    continue
                }
                listener.add(DictationEvent(take: id, elapsed: elapsed, kind: kind))
            }
        }
        if hasGone { state.listeners.removeAll { $0.listener == nil } }
    }

    /// Hands what has become final to those who read all of it, also of a take that is not the current one.
    private func deliverFinals(of id: TakeID, _ state: inout State) {
        guard let index = state.takes.lastIndex(where: { $0.id == id }) else { return }
        let finals = state.takes[index].takeNewFinals()
        guard !finals.isEmpty, !state.finalsReaders.isEmpty else { return }
        for weak in state.finalsReaders { for result in finals { weak.mailbox?.put(result) } }
    }

    /// Tells the state, when it is not the one that was told last.
    private func announce(_ announced: inout DictationState, _ state: inout State) {
        guard state.machine.state != announced else { return }
        announced = state.machine.state
        publish([.state(announced)], of: state.machine.take, &state)
    }

    // MARK: Inside

    private func change<Answer>(_ body: (inout State, inout Leftovers) -> Answer) -> Answer {
        let (answer, leftovers) = state.withLock { state in
            var leftovers = Leftovers()
            let answer = body(&state, &leftovers)
            return (answer, leftovers)
        }
        leftovers.clear()
        return answer
    }

    /// Hands an event to a take and carries out what follows from it; `false` when the take is gone.
    @discardableResult
    private func follow(
        _ event: TakeMachine.Event, _ id: TakeID, _ announced: inout DictationState, _ state: inout State,
        _ leftovers: inout Leftovers
    ) -> Bool {
        guard let index = state.takes.lastIndex(where: { $0.id == id }), let driver = state.takes[index].driver else {
            return false
        }
        let wasOver = state.takes[index].machine.isOver
        let wasReady = state.takes[index].machine.isEngineReady
        var actions = FIFO(state.takes[index].machine.handle(event))
        if !wasReady, state.takes[index].machine.isEngineReady { publish([.engineReady], of: id, &state) }
        while let action = actions.popFirst() {
            switch action {
            case .report(let report):
                state.machine.handle(report, from: id)
                announce(&announced, &state)
            case .conclude:
                let (kinds, next) = state.takes[index].conclude()
                publish(kinds, of: id, &state)
                state.machine.handle(.done(state.takes[index].machine.error), from: id)
                announce(&announced, &state)
                for action in next { actions.append(action) }
            case .read:
                state.takes[index].live.noteCapture()
                leftovers.tasks += driver.perform(action)
            default: leftovers.tasks += driver.perform(action)
            }
        }
        if !wasOver, state.takes[index].machine.isCancelled {
            publish([.cancelled], of: id, &state)
            state.machine.handle(.done(nil), from: id)
        }
        state.takes[index].note()
        announce(&announced, &state)
        if state.takes[index].machine.isSettled, state.takes[index].machine.isReleased {
            leftovers.takes.append(driver)
            state.takes[index].driver = nil
        }
        return true
    }
}
