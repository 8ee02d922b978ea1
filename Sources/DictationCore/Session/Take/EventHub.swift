import Synchronization

/// The takes and listeners of a session. One lock guards both, so that a change and its events are one step.
///
/// Takes send their events to the hub and carry out the resulting actions. No foreign code runs under the lock: actions
/// only start tasks and wake waiting ones. Tasks are cancelled, and objects released, after the lock is released.
final class EventHub: Sendable {
    private struct State {
        var machine = SessionMachine()
        /// The current or last take at the end, and before it the takes that are still ending.
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

    /// The tasks to cancel and the takes to release once the lock is released.
    private struct Leftovers {
        var tasks: [Task<Void, Never>] = []
        var takes: [Take] = []

        func clear() { for task in tasks { task.cancel() } }
    }

    private let state = Mutex(State())

    // MARK: For the session

    var dictationState: DictationSession.State { state.withLock { $0.machine.state } }

    /// The current take, or the last one.
    var current: TakeRecord? { state.withLock { $0.takes.last } }

    func record(of id: TakeID) -> TakeRecord? { state.withLock { $0.takes.last { $0.id == id } } }

    /// Whether one of the takes has the microphone open.
    var isMicrophoneOpen: Bool { state.withLock { $0.takes.contains { $0.machine.stream != nil } } }

    /// Carries out a command.
    ///
    /// - Parameters:
    ///   - command: Returns the command for the present state, or `nil` to do nothing.
    ///   - makeTake: Creates a new take. It gets the progress of earlier takes that still hold the microphone.
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

    /// The result of a command: the take, whether the command created it, and the state before the command.
    struct Answer {
        var take: TakeRecord?
        var isNew: Bool
        var before: DictationSession.State
    }

    /// Cancels the current take and ends all sequences, because the session is being released. The take's audio is
    /// kept, because nobody asked to delete it.
    func close() {
        let (listeners, readers) = change { state, leftovers in
            var announced = state.machine.state
            follow(.cancel(keepsAudio: true), state.machine.take, &announced, &state, &leftovers)
            return (state.listeners, state.finalsReaders)
        }
        for weak in listeners { weak.listener?.finish() }
        for weak in readers { weak.mailbox?.finish() }
    }

    // MARK: For takes

    /// Sends an event to a take; `false` when the take has finished its clean-up, or is no longer stored.
    @discardableResult
    func send(_ event: TakeMachine.Event, to id: TakeID) -> Bool {
        change { state, leftovers in
            var announced = state.machine.state
            return follow(event, id, &announced, &state, &leftovers)
        }
    }

    /// Changes a take's audio and text, and publishes the events that the change returns.
    ///
    /// - Returns: The change's answer; `nil` if the take is over or has left the stream, in which case nothing changes.
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

    /// Returns a new listener, whose first event is a snapshot.
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

    /// Returns a new reader of all results that become final from now on.
    func readFinals() -> DictationSession.FinalResults {
        let mailbox = Mailbox<SpeechResult, Never>()
        state.withLock { state in
            state.finalsReaders.removeAll { $0.mailbox == nil }
            state.finalsReaders.append(WeakReader(mailbox: mailbox))
        }
        return DictationSession.FinalResults(mailbox: mailbox)
    }

    private static func snapshot(of state: borrowing State) -> DictationEvent {
        let snapshot =
            state.takes.last?.snapshot(in: state.machine.state)
            ?? DictationSession.Snapshot(take: state.machine.take, state: state.machine.state)
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

    /// Delivers new final results to the readers of `finals()`, also results of a take that is not the current one.
    private func deliverFinals(of id: TakeID, _ state: inout State) {
        guard let index = state.takes.lastIndex(where: { $0.id == id }) else { return }
        let finals = state.takes[index].takeNewFinals()
        guard !finals.isEmpty, !state.finalsReaders.isEmpty else { return }
        for weak in state.finalsReaders { for result in finals { weak.mailbox?.put(result) } }
    }

    /// Publishes the state if it differs from the last published one.
    private func announce(_ announced: inout DictationSession.State, _ state: inout State) {
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

    /// Sends an event to a take and carries out the resulting actions. Returns `false` as ``send(_:to:)`` does.
    @discardableResult
    private func follow(
        _ event: TakeMachine.Event, _ id: TakeID, _ announced: inout DictationSession.State, _ state: inout State,
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
