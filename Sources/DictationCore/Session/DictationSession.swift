import Synchronization

/// A dictation session: starts and stops takes, and reports their progress and text.
///
///     let session = DictationSession(engine: engine, capturer: microphone)
///     let events = session.events()
///     let reading = Task {
///         for await event in events { print(event.kind) }
///     }
///     try await session.start()
///     try await Task.sleep(for: .seconds(5))
///     let transcript = await session.stop()
///     reading.cancel()
///
/// The events continue from take to take, so read them in a separate task, and cancel the task when you no longer need
/// them.
///
/// Releasing the session cancels its take but keeps the take's audio in the spool. A task that loops over ``events()``
/// or ``finals()`` does not keep the session alive, unless the body of the loop uses the session.
///
/// The microphone opens first. Speech waits in a bounded queue while the engine warms up. You can call every method in
/// any state, from any task, in any order and any number of times. Each call except ``retry(_:)`` returns within its
/// limit from ``DictationSession/Configuration``, even when the microphone or the engine hangs.
public final class DictationSession: Sendable {
    private let capturer: any AudioCapturer
    private let converters: any FormatConverterProvider
    private let usual: Mutex<TakeSetup>
    private let hub = EventHub()
    package let runtime = DictationRuntime.current

    /// Creates a session. It opens and loads nothing before ``prepare()`` or ``start()``.
    ///
    /// - Parameters:
    ///   - engine: The engine that recognizes the speech.
    ///   - capturer: The source of the audio, such as a microphone.
    ///   - converters: The converters from the capturer's audio format to the engine's.
    ///   - spool: Keeps the audio of each take until its text is complete, so that ``retry(_:)`` can recognize it
    ///     again; `nil` keeps no audio.
    ///   - configuration: The options and time limits of the session.
    public init(
        engine: any SpeechEngine, capturer: any AudioCapturer,
        converters: any FormatConverterProvider, spool: (any AudioSpool)? = nil,
        configuration: DictationSession.Configuration = DictationSession.Configuration()
    ) {
        self.capturer = capturer
        self.converters = converters
        usual = Mutex(TakeSetup(engine: engine, configuration: configuration, spool: spool))
    }

    deinit { hub.close() }

    /// The options and time limits of the session. A change applies from the next take on.
    public var configuration: DictationSession.Configuration {
        get { usual.withLock { $0.configuration } }
        set { usual.withLock { $0.configuration = newValue } }
    }

    /// What a take is made with unless its command says otherwise. A change applies from the next take on.
    package var setup: TakeSetup {
        get { usual.withLock { $0 } }
        set { usual.withLock { $0 = newValue } }
    }

    /// The current state.
    public var state: DictationSession.State { hub.dictationState }

    /// The final text so far of the current take, or of the last one. A cancelled take has no text.
    public var transcript: Transcript {
        hub.current?.transcript ?? Transcript(locale: configuration.recognition.locale)
    }

    /// The length of the audio of the current take, or of the last one.
    public var elapsed: Duration { hub.current?.live.position ?? .zero }

    /// Registers a listener and returns its events, beginning with a snapshot of the present state.
    ///
    /// Call this once for each listener.
    public func events() -> DictationSession.Events { DictationSession.Events(listener: hub.listen()) }

    /// Registers a reader and returns every result that becomes final from now on, exactly once and in order.
    ///
    /// The results continue across takes until the session is released, and none is dropped; see ``DictationSession/FinalResults``.
    public func finals() -> DictationSession.FinalResults { hub.readFinals() }

    /// Loads the engine's model ahead of the first start.
    ///
    /// - Throws: `timedOut` when loading takes longer than ``DictationSession/Configuration/warmUpTimeout``, `cancelled` when
    ///   the calling task is cancelled, or the engine's error.
    public func prepare() async throws(DictationError) {
        let setup = setup
        let limit = setup.configuration.warmUpTimeout
        let isReady: Void? = try await runtime.within(limit) { () async throws(DictationError) in
            try await setup.engine.prepare(setup.configuration.recognition)
        }
        if isReady == nil { throw Task.isCancelled ? .callCancelled : .warmUpTimedOut(setup.engine.name, limit) }
    }

    /// Starts a take. Returns when the microphone is open and the engine is ready, or when the take is asked to pause
    /// or stop.
    ///
    /// The state is ``DictationSession/State/recording`` as soon as the microphone is open. Speech is kept from then on. If the
    /// calling task is cancelled before this returns, a take that this call began is cancelled too.
    ///
    /// - Returns: The take. If a take is already starting or recording, this call waits for it and returns that take. A
    ///   paused take is resumed. A take that is finalizing continues beside the new one.
    /// - Throws: The error that kept the take from starting.
    @discardableResult
    public func start() async throws(DictationError) -> TakeID {
        try await started(perform { _ in .start })
    }

    /// Stops recording and returns the text, which is final through the last word.
    ///
    /// This never throws. The transcript of a failed take has the text up to the failure, is marked incomplete, and has
    /// the ``Transcript/error``. If no take is under way, this returns the last take's text. ``Transcript/take``
    /// identifies the take.
    @discardableResult
    public func stop() async -> Transcript { await finished(perform { _ in .stop }) }

    /// Stops one take. A late call does not affect a take that was started since.
    ///
    /// - Parameter take: The take to stop.
    /// - Returns: The take's text; `nil` if the session no longer has it, because the take ended and a later one began.
    @discardableResult
    public func stop(_ take: TakeID) async -> Transcript? {
        let answer = perform { $0.take == take ? .stop : nil }
        if answer.take?.id == take { return await finished(answer) }
        guard let earlier = hub.record(of: take) else { return nil }
        return await finished(EventHub.Answer(take: earlier, isNew: false, before: answer.before))
    }

    /// Cancels the take and deletes its text and spooled audio. The audio of a ``retry(_:)`` is kept.
    public func cancel() async { perform { _ in .cancel } }

    /// Waits until the last take has finished its clean-up, such as closing its audio in the spool.
    ///
    /// ``stop()`` may return before the clean-up ends. Call this before exiting, so that the spool is in order;
    /// otherwise you don't need it. It returns within seconds, even when the microphone or the disk hangs.
    public func waitUntilSettled() async {
        guard let progress = hub.current?.progress else { return }
        _ = await runtime.within(TakeMachine.closeTimeout) { await progress.first { $0.isSettled ? true : nil } }
    }

    /// Stops the take that is starting, recording or paused; starts one if there is none.
    ///
    /// - Returns: The text of the stopped take; `nil` if this call started a take.
    /// - Throws: The error that kept the take from starting.
    @discardableResult
    public func toggle() async throws(DictationError) -> Transcript? {
        // The state is read and changed in one step, so that two toggles at once are a start and a stop.
        let begun = perform { $0.state.isActive ? .stop : .start }
        if begun.before.isActive { return await finished(begun) }
        try await started(begun)
        return nil
    }

    /// Pauses the take and closes the microphone. The pause has no limit and does not count in the take's time.
    public func pause() async { perform { _ in .pause } }

    /// Resumes a paused take, and waits until its microphone is open and the engine is ready.
    ///
    /// - Throws: `notRunning` when no take is starting, recording or paused; otherwise the error that ended the take.
    public func resume() async throws(DictationError) {
        let resumed = perform { _ in .resume }
        guard resumed.before.isActive else {
            throw DictationError(
                .notRunning, "There is no take to resume.", recovery: "Start a new take with “start()”.")
        }
        try await started(resumed)
    }

    /// Recognizes the audio of a take again, because its text is missing or incomplete.
    ///
    /// The session is ``DictationSession/State/finalizing`` meanwhile. ``stop()`` and ``cancel()`` end a retry early.
    ///
    /// - Parameter id: A take that the spool keeps, for instance from a process that was killed; `nil` is the session's
    ///   last take.
    /// - Returns: The text, as a new take.
    /// - Throws: `notRunning` when a take is under way, `invalidInput` when no audio is kept, `cancelled` when the
    ///   calling task is cancelled, or the error of the new take.
    @discardableResult
    public func retry(_ id: SpooledTake.ID? = nil) async throws(DictationError) -> Transcript {
        try await retry(id, with: setup)
    }

    /// Recognizes the audio of a take again, with another engine or other options.
    ///
    /// - Parameters:
    ///   - keepsAudio: Whether the spool keeps the audio also when its text is complete.
    ///   - beginning: Is told of the new take, before any event of it.
    package func retry(
        _ id: SpooledTake.ID?, with setup: TakeSetup, keepsAudio: Bool = false, beginning: (TakeID) -> Void = { _ in }
    ) async throws(DictationError) -> Transcript {
        let last = hub.current
        if let queue = last?.spool, last?.machine.isOver == true {
            _ = await runtime.within(TakeMachine.closeTimeout) { await queue.done() }
        }
        let lastID = last?.isTextSafe == true ? nil : last?.spool?.id
        guard let spool = setup.spool, let id = id ?? lastID else {
            throw DictationError(
                .invalidInput, "No audio is kept to recognize again.",
                recovery: "Give the session a spool. It keeps a take's audio only until the text is complete.")
        }
        let missing = id == last?.spool?.id ? last?.spool?.missing : nil
        let retrying = hub.perform { _ in
            .retry
        } makeTake: { take, earlier in
            beginning(take)
            let queue = SpoolQueue(spool, runtime: runtime, kept: id, missing: missing)
            let source = SpooledSource(spool: spool, id: id, missing: missing)
            return record(
                take, source, queue, setup.engine, setup.configuration.forRetry, earlier,
                isRetry: true, keepsAudio: keepsAudio)
        }
        guard retrying.isNew else {
            throw DictationError(.notRunning, "A take is under way.", recovery: "Stop it before you call “retry(_:)”.")
        }
        let transcript = await finished(retrying)
        if let take = retrying.take, take.progress.value.outcome == nil {
            hub.send(.cancel(keepsAudio: true), to: take.id)
            throw .callCancelled
        }
        if let error = transcript.error { throw error }
        return transcript
    }

    // MARK: Inside

    /// Carries out a command.
    ///
    /// - Parameters:
    ///   - setup: What a new take is made with; `nil` is the session's ``setup``.
    ///   - beginning: Is told of a new take, before any event of it.
    ///   - command: Returns the command for the present state, or `nil` to do nothing.
    @discardableResult
    func perform(
        with setup: TakeSetup? = nil, beginning: (TakeID) -> Void = { _ in },
        _ command: (SessionMachine) -> SessionMachine.Command?
    ) -> EventHub.Answer {
        hub.perform(command) { id, earlier in
            beginning(id)
            let setup = setup ?? self.setup
            let queue = setup.spool.map { spool in
                SpoolQueue(spool, runtime: runtime) { [weak hub] error in
                    hub?.update(id) { _ in ((), [.spoolFailed(error)]) }
                }
            }
            return record(id, capturer, queue, setup.engine, setup.configuration, earlier, isRetry: false)
        }
    }

    private func record(
        _ id: TakeID, _ capturer: any AudioCapturer, _ queue: SpoolQueue?, _ engine: any SpeechEngine,
        _ configuration: DictationSession.Configuration, _ earlier: [Watched<TakeProgress>], isRetry: Bool,
        keepsAudio: Bool = false
    ) -> TakeRecord {
        let parts = Take.Parts(
            engine: engine, capturer: capturer, converters: converters, spool: queue,
            configuration: configuration.bounded,
            runtime: runtime)
        return TakeRecord(Take(id, parts, hub: hub, after: earlier), isRetry: isRetry, keepsAudio: keepsAudio)
    }

    /// Waits until a take has started, ended, or was asked to pause or stop.
    @discardableResult
    func started(_ answer: EventHub.Answer) async throws(DictationError) -> TakeID {
        guard let take = answer.take else { throw DictationError(.notRunning, "There is no take.") }
        guard let start = await take.progress.first({ $0.start }) else {
            if answer.isNew { hub.send(.cancel(keepsAudio: false), to: take.id) }
            throw .callCancelled
        }
        try start.get()
        return take.id
    }

    /// Waits for a take's final text. When the calling task is cancelled, returns the text so far.
    private func finished(_ answer: EventHub.Answer) async -> Transcript {
        guard let take = answer.take else { return transcript }
        if let outcome = await take.progress.first({ $0.outcome }) { return outcome }
        return hub.record(of: take.id)?.transcriptAsIs ?? transcript
    }
}
