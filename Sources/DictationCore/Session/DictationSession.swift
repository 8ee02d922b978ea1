import Synchronization

/// What a dictation app holds: it starts and stops takes, and tells how they go.
///
///     let session = DictationSession(engine: engine, capturer: microphone)
///     try await session.start()
///     for await event in session.events() { … }
///     let transcript = await session.stop()
///
/// The take is thrown away when nobody holds the session any more. A task that loops over `events()` or `finals()` holds
/// only those; one that uses the session in its loop keeps it alive until the loop ends.
///
/// The microphone opens first, and what is said while the engine warms up waits in a bounded queue. Every call may be
/// made from any state, from any task, in any order, any number of times; each returns within its limit from
/// `DictationConfiguration`, whatever the microphone or the engine does.
public final class DictationSession: Sendable {
    private let engine: any SpeechEngine
    private let capturer: any AudioCapturer
    private let converters: any FormatConverterProvider
    private let spool: (any AudioSpool)?
    private let settings: Mutex<DictationConfiguration>
    private let hub = EventHub()
    let runtime = DictationRuntime.current

    /// Makes a session. Nothing is opened or loaded before `prepare()` or `start()`. With a spool, the audio of a take is
    /// kept until its text is safe, and `retry(_:)` has it recognized again when it is not.
    public init(
        engine: any SpeechEngine, capturer: any AudioCapturer,
        converters: any FormatConverterProvider, spool: (any AudioSpool)? = nil,
        configuration: DictationConfiguration = DictationConfiguration()
    ) {
        self.engine = engine
        self.capturer = capturer
        self.converters = converters
        self.spool = spool
        settings = Mutex(configuration)
    }

    deinit { hub.close() }

    /// How the session captures, waits and stops; a change counts from the next take on.
    public var configuration: DictationConfiguration {
        get { settings.withLock { $0 } }
        set { settings.withLock { $0 = newValue } }
    }

    /// Where the session is.
    public var state: DictationState { hub.dictationState }

    /// The final text of the current take so far, or of the last one. A take that was cancelled has none.
    public var transcript: Transcript {
        hub.current?.transcript ?? Transcript(locale: configuration.recognition.locale)
    }

    /// How much audio the current take has, or the last one had.
    public var elapsed: Duration { hub.current?.live.position ?? .zero }

    /// Registers a listener and returns its events, from a snapshot of how things are now. Call it again for another
    /// listener.
    public func events() -> DictationEvents { DictationEvents(listener: hub.listen()) }

    /// Registers a reader and returns every result that becomes final from now on, exactly once and in order, across takes
    /// until the session is gone. None is dropped; see ``FinalResults``.
    public func finals() -> FinalResults { hub.readFinals() }

    /// Loads the engine's model ahead of the first start, within `warmUpTimeout`.
    public func prepare() async throws(DictationError) {
        let (options, limit) = (configuration.recognition, configuration.warmUpTimeout)
        let isReady: Void? = try await runtime.within(limit) { [engine] () async throws(DictationError) in
            try await engine.prepare(options)
        }
        if isReady == nil { throw Task.isCancelled ? .callCancelled : .warmUpTimedOut(engine.name, limit) }
    }

    /// Starts a take; returns when the microphone is open and the engine is ready, or when the take was stopped.
    ///
    /// The state is `recording` as soon as the microphone is open: what is said from then on is kept. When the calling
    /// task is cancelled before this returns, a take that this call began is cancelled too.
    ///
    /// - Returns: The take. If one is already starting or recording, this call joins it and returns the same; a paused one
    ///   is resumed. A take that is finalizing goes on by itself beside the new one.
    /// - Throws: What kept the take from starting.
    @discardableResult
    public func start() async throws(DictationError) -> TakeID {
        try await started(perform { _ in .start })
    }

    /// Takes no more audio and returns the text, final through the last word.
    ///
    /// Never throws: a take that went wrong has its text up to then, marked incomplete, and its `error`. Without a take
    /// under way this returns the last one's text. ``Transcript/take`` names the take.
    @discardableResult
    public func stop() async -> Transcript { await finished(perform { _ in .stop }) }

    /// Stops this take and no other: a call that comes late does not touch a take that was started since.
    ///
    /// - Returns: The take's text; `nil` if the session has forgotten it because a later take began after it ended.
    @discardableResult
    public func stop(_ take: TakeID) async -> Transcript? {
        let answer = perform { $0.take == take ? .stop : nil }
        if answer.take?.id == take { return await finished(answer) }
        guard let earlier = hub.record(of: take) else { return nil }
        return await finished(EventHub.Answer(take: earlier, isNew: false, before: answer.before))
    }

    /// Throws the take away, with its text and its audio; only the audio of a `retry(_:)` stays in the spool.
    public func cancel() async { perform { _ in .cancel } }

    /// Waits until the last take holds nothing any more, such as its audio in the spool.
    ///
    /// `stop()` returns the text as soon as it is there. Call this before exiting, so that the spool is in order;
    /// otherwise you don't need it. It returns within seconds, whatever hangs.
    public func waitUntilSettled() async {
        guard let progress = hub.current?.progress else { return }
        _ = await runtime.within(TakeMachine.closeTimeout) { await progress.first { $0.isSettled ? true : nil } }
    }

    /// Starts when no take is under way, else stops; returns the text when it stopped.
    @discardableResult
    public func toggle() async throws(DictationError) -> Transcript? {
        // One look and one command in one step: two toggles at once are a start and a stop.
        let begun = perform { $0.state.isActive ? .stop : .start }
        if begun.before.isActive { return await finished(begun) }
        try await started(begun)
        return nil
    }

    /// Closes the microphone and keeps the take, for as long as it takes; time stands still for it.
    public func pause() async { perform { _ in .pause } }

    /// Goes on with a paused take, or waits for one that is starting. Throws `notRunning` when no take is under way.
    public func resume() async throws(DictationError) {
        let resumed = perform { _ in .resume }
        guard resumed.before.isActive else {
            throw DictationError(
                .notRunning, "There is no take to go on with.", recovery: "Start a new one with 'start()'.")
        }
        try await started(resumed)
    }

    /// Recognizes the audio of a take again: the last one's, whose text is missing or incomplete, or any that the spool
    /// still keeps, such as one whose process was killed.
    ///
    /// The session is `finalizing` meanwhile. Throws `notRunning` when a take is under way, and `invalidInput` when there
    /// is no audio to try again with.
    @discardableResult
    public func retry(_ id: SpooledTake.ID? = nil) async throws(DictationError) -> Transcript {
        let last = hub.current
        if let queue = last?.spool, last?.machine.isOver == true {
            _ = await runtime.within(TakeMachine.closeTimeout) { await queue.done() }
        }
        let lastID = last?.isTextSafe == true ? nil : last?.spool?.id
        guard let spool, let id = id ?? lastID else {
            throw DictationError(
                .invalidInput, "There is no kept audio to recognize again.",
                recovery: "Give the session a spool; takes whose text is complete are not kept.")
        }
        let missing = id == last?.spool?.id ? last?.spool?.missing : nil
        let retrying = hub.perform { _ in
            .retry
        } makeTake: { take, earlier in
            let queue = SpoolQueue(spool, runtime: runtime, kept: id, missing: missing)
            let source = SpooledSource(spool: spool, id: id, missing: missing)
            return record(take, source, queue, configuration.forRetry, earlier, isRetry: true)
        }
        guard retrying.isNew else {
            throw DictationError(.notRunning, "A take is under way.", recovery: "Stop it before trying another again.")
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

    /// Carries out a command; one that starts a take makes it of the session's parts.
    @discardableResult
    func perform(_ command: (SessionMachine) -> SessionMachine.Command?) -> EventHub.Answer {
        hub.perform(command) { id, earlier in
            let queue = spool.map { spool in
                SpoolQueue(spool, runtime: runtime) { [weak hub] error in
                    hub?.update(id) { _ in ((), [.spoolFailed(error)]) }
                }
            }
            return record(id, capturer, queue, configuration, earlier, isRetry: false)
        }
    }

    private func record(
        _ id: TakeID, _ capturer: any AudioCapturer, _ queue: SpoolQueue?, _ configuration: DictationConfiguration,
        _ earlier: [Watched<TakeProgress>], isRetry: Bool
    ) -> TakeRecord {
        let parts = Take.Parts(
            engine: engine, capturer: capturer, converters: converters, spool: queue,
            configuration: configuration.bounded,
            runtime: runtime)
        return TakeRecord(Take(id, parts, hub: hub, after: earlier), isRetry: isRetry)
    }

    /// Waits until a take is up, over, or asked to pause or stop.
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

    /// Waits for a take's text. A caller that is cancelled gets the text as it stands.
    private func finished(_ answer: EventHub.Answer) async -> Transcript {
        guard let take = answer.take else { return transcript }
        if let outcome = await take.progress.first({ $0.outcome }) { return outcome }
        return hub.record(of: take.id)?.transcriptAsIs ?? transcript
    }
}
