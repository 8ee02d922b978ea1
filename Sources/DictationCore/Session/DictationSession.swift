import Synchronization

/// What a dictation app holds: it starts and stops takes, and tells how they go.
///
///     let session = DictationSession(engine: engine, capturer: microphone)
///     try await session.start()
///     for await event in session.events { … }
///     let transcript = await session.stop()
///
/// The microphone opens first, and what is said while the engine warms up waits in a bounded queue. Every call may be
/// made from any state, from any task, in any order, any number of times; each returns within its limit from
/// `DictationConfiguration`, whatever the microphone or the engine does.
public final class DictationSession: Sendable {
    private struct Storage {
        var configuration: DictationConfiguration
        var machine = SessionMachine()
        var current: Take?
        var retryID: SpooledTake.ID?
        var listeners: [WeakListener] = []
    }

    private struct WeakListener {
        weak var listener: Listener?
    }

    private let engine: any SpeechEngine
    private let capturer: any AudioCapturer
    private let converters: any FormatConverterProvider
    private let spool: (any AudioSpool)?
    let runtime = DictationRuntime.current
    private let storage: Mutex<Storage>

    /// Makes a session. Nothing is opened or loaded before `prepare()` or `start()`. With a spool, the audio of a take is
    /// kept until its text is safe, and `retry(_:)` has it recognized again when it is not.
    public init(
        engine: any SpeechEngine, capturer: any AudioCapturer,
        converters: any FormatConverterProvider = BasicConverters(), spool: (any AudioSpool)? = nil,
        configuration: DictationConfiguration = DictationConfiguration()
    ) {
        self.engine = engine
        self.capturer = capturer
        self.converters = converters
        self.spool = spool
        storage = Mutex(Storage(configuration: configuration))
    }

    deinit {
        let (take, listeners) = storage.withLock { ($0.current, $0.listeners) }
        // Nobody said that the take isn't wanted.
        take?.keepAudio()
        take?.abandon()
        for weak in listeners { weak.listener?.finish() }
    }

    /// How the session captures, waits and stops; a change counts from the next take on.
    public var configuration: DictationConfiguration {
        get { storage.withLock { $0.configuration } }
        set { storage.withLock { $0.configuration = newValue } }
    }

    /// Where the session is.
    public var state: DictationState { storage.withLock { $0.machine.state } }

    /// The text of the current take so far, or of the last one.
    public var transcript: Transcript {
        let take = storage.withLock { $0.current }
        return take.map { $0.control.value.outcome ?? $0.snapshotTranscript() } ?? Transcript()
    }

    /// How much audio the current take has, or the last one had.
    public var elapsed: Duration {
        let take = storage.withLock { $0.current }
        return take?.live.withLock { $0.position } ?? .zero
    }

    /// What happens, for one listener; ask again for another.
    public var events: DictationEvents {
        let listener = Listener { [weak self] listener in
            self?.storage.withLock { storage in
                listener.followSnapshot()
                return Self.snapshot(of: storage)
            }
        }
        storage.withLock { storage in
            storage.listeners.removeAll { $0.listener == nil }
            storage.listeners.append(WeakListener(listener: listener))
            listener.add(Self.snapshot(of: storage))
        }
        return DictationEvents(listener: listener)
    }

    /// Loads the engine's model ahead of the first start, within `warmUpLimit`.
    public func prepare() async throws(DictationError) {
        let (options, limit) = (configuration.recognition, configuration.warmUpLimit)
        let result = await runtime.within(limit) { [engine] () -> Result<Void, DictationError> in
            do throws(DictationError) { return .success(try await engine.prepare(options)) } catch {
                return .failure(error)
            }
        }
        try (result ?? .failure(Task.isCancelled ? .callCancelled : .warmUpTimedOut(engine.name, limit))).get()
    }

    /// Starts a take; returns when the microphone is open and the engine is ready, or when the take was stopped.
    ///
    /// The state is `recording` as soon as the microphone is open: what is said from then on is kept. With a take under
    /// way this waits for that one; a paused one is resumed. Throws what kept the take from starting.
    public func start() async throws(DictationError) {
        try await perform(.start)?.started()
    }

    /// Takes no more audio and returns the text, final through the last word.
    ///
    /// Never throws: a take that went wrong has its text up to then, marked incomplete, and its `error`. Without a take
    /// under way this returns the last one's text.
    @discardableResult
    public func stop() async -> Transcript {
        await perform(.stop)?.finished() ?? Transcript(locale: configuration.recognition.locale)
    }

    /// Throws the take away, and stops what it does. Its audio leaves the spool, but for that of a `retry(_:)`.
    public func cancel() async { perform(.cancel) }

    /// Waits until the last take has let go of everything, such as its audio in the spool.
    ///
    /// A text is given out as soon as it is there, so a program that ends right after a take waits for this; no other
    /// has to. It comes back within seconds, whatever hangs.
    public func settled() async {
        guard let take = storage.withLock({ $0.current }) else { return }
        _ = await runtime.within(Take.closeLimit) { [control = take.control] in
            await control.first { $0.isSettled ? true : nil }
        }
    }

    /// Starts when no take is under way, else stops; returns the text when it stopped.
    @discardableResult
    public func toggle() async throws(DictationError) -> Transcript? {
        // One look and one command under one lock: two toggles at once are a start and a stop.
        let (take, isStop) = storage.withLock { storage in
            let isStop = storage.machine.state.isActive
            return (perform(isStop ? .stop : .start, &storage), isStop)
        }
        if isStop { return await take?.finished() }
        try await take?.started()
        return nil
    }

    /// Lets go of the microphone and keeps the take; time stands still for it.
    public func pause() async { perform(.pause) }

    /// Goes on with a paused take.
    public func resume() async throws(DictationError) { try await perform(.resume)?.started() }

    /// Recognizes the audio of a take again: the last one's, whose text is missing or incomplete, or any that the spool
    /// still keeps, such as one whose process was killed.
    ///
    /// The session is `finalizing` meanwhile. Throws `notRunning` when a take is under way, and `invalidInput` when there
    /// is no audio to try again with.
    @discardableResult
    public func retry(_ id: SpooledTake.ID? = nil) async throws(DictationError) -> Transcript {
        let last = storage.withLock { $0.current }
        let isSafe = last?.control.value.isTextSafe ?? true
        guard spool != nil, let id = if let id { id } else { isSafe ? nil : await last?.parts.spool?.id } else {
            throw DictationError(
                .invalidInput, "There is no kept audio to recognize again.",
                recovery: "Give the session a spool; takes whose text is complete are not kept.")
        }
        let take = storage.withLock { storage -> Take? in
            storage.retryID = id
            let before = storage.machine.take
            let take = perform(.retry, &storage)
            return storage.machine.take == before ? nil : take
        }
        guard let take else {
            throw DictationError(.notRunning, "A take is under way.", recovery: "Stop it before trying another again.")
        }
        let transcript = await take.finished()
        if let error = transcript.error { throw error }
        return transcript
    }

    // MARK: Inside

    @discardableResult
    private func perform(_ command: SessionMachine.Command) -> Take? {
        storage.withLock { perform(command, &$0) }
    }

    /// Carries out a command while the lock is held, so that effects come in the order of the commands.
    private func perform(_ command: SessionMachine.Command, _ storage: inout Storage) -> Take? {
        let before = storage.machine.state
        switch storage.machine.handle(command) {
        case .open(let id):
            open(id, capturer, spool.map { TakeSpool($0) }, storage.configuration, &storage)
        case .retry(let id):
            guard let spool, let kept = storage.retryID else { break }
            let source = SpooledSource(spool: spool, id: kept)
            open(id, source, TakeSpool(spool, kept: kept), storage.configuration.forRetry, &storage)
            // The audio is there for as long as its text is not, however often that is tried.
            storage.current?.keepAudio()
        case .pause: storage.current?.pause()
        case .resume: storage.current?.resume()
        case .drain: storage.current?.drain()
        case .abandon: storage.current?.abandon()
        case nil: break
        }
        announce(before, &storage)
        return storage.current
    }

    private func open(
        _ id: TakeID, _ capturer: any AudioCapturer, _ spool: TakeSpool?, _ configuration: DictationConfiguration,
        _ storage: inout Storage
    ) {
        let previous = storage.current
        let parts = Take.Parts(
            engine: engine, capturer: capturer, converters: converters, spool: spool, configuration: configuration,
            runtime: runtime)
        let host = Take.Host(
            report: { [weak self] report in self?.hear(report, from: id) ?? { _ = report() }() },
            publish: { [weak self] change in self?.publish(change, from: id) ?? { _ = change() }() })
        let take = Take(id, parts, host: host)
        storage.current = take
        runtime.task { await take.run(after: previous) }
    }

    private func hear(_ report: () -> SessionMachine.Report, from id: TakeID) {
        storage.withLock { storage in
            let before = storage.machine.state
            storage.machine.handle(report(), from: id)
            announce(before, &storage)
        }
    }

    private func announce(_ before: DictationState, _ storage: inout Storage) {
        let state = storage.machine.state
        guard state != before else { return }
        send([.state(state)], of: storage.machine.take, &storage)
    }

    private func publish(_ change: () -> [DictationEvent.Kind], from id: TakeID) {
        storage.withLock { storage in
            let kinds = change()
            let isCurrent = storage.machine.take == id
            send(kinds.filter { isCurrent || $0.isEnd }, of: id, &storage)
        }
    }

    private func send(_ kinds: [DictationEvent.Kind], of take: TakeID, _ storage: inout Storage) {
        guard !kinds.isEmpty else { return }
        storage.listeners.removeAll { $0.listener == nil }
        for weak in storage.listeners {
            for kind in kinds { weak.listener?.add(DictationEvent(take: take, kind: kind)) }
        }
    }

    private static func snapshot(of storage: borrowing Storage) -> DictationEvent {
        let take = storage.current
        let live = take?.live.withLock { $0 }
        let control = take?.control.value
        let snapshot = DictationSnapshot(
            state: storage.machine.state,
            transcript: take.map { control?.outcome ?? $0.snapshotTranscript() } ?? Transcript(),
            volatileTail: live?.text.volatileTail ?? [], input: live?.input.condition,
            isEngineReady: control?.isEngineReady ?? false)
        return DictationEvent(take: storage.machine.take, kind: .snapshot(snapshot))
    }
}

extension DictationEvent.Kind {
    fileprivate var isEnd: Bool {
        if case .ended = self { true } else { false }
    }
}
