public import DictationCore
public import DictationText

/// One dictation session for many callers: an app's windows, a key, a bar, other programs.
///
///     let service = DictationService(session: session, processors: [SpokenPunctuation()])
///     try await service.start()
///     try await Task.sleep(for: .seconds(5))
///     print(try await service.stop()?.text ?? "nothing was said")
///
/// The service decides what an intent means: two callers that toggle at the same moment start and stop one take. Each
/// text goes to the one caller that ended the take, or is only kept, and ``DictationIntent/last`` repeats the newest.
///
/// Offer the service to other programs with a ``DictationDoor``. They use a ``DictationClient``, which is a
/// ``DictationControl`` as well.
///
/// Releasing the service ends the take, as releasing the session does.
public final class DictationService: DictationControl {
    let session: DictationSession
    let desk: TextDesk
    let board: StatusBoard
    let journal: TextJournal?
    let runtime = DictationRuntime.current
    let events: DictationEvents
    private let listening: Task<Void, Never>

    /// Creates a service around a session.
    ///
    /// - Parameters:
    ///   - session: The session. Give it a spool, so that ``recover()`` can recognize audio whose text is missing.
    ///   - model: The name of the engine's model, for the status.
    ///   - processors: What turns recognized text into written text, in order.
    ///   - journal: Keeps the newest texts in a file; `nil` keeps no text but the last, and only in memory.
    public init(
        session: DictationSession, model: String? = nil, processors: [any TextProcessor] = [],
        journal: TextJournal? = nil
    ) {
        self.session = session
        self.journal = journal
        let idle = ServiceStatus(
            engine: session.engine.name, model: model, locale: session.configuration.recognition.locale)
        let board = StatusBoard(idle)
        let desk = TextDesk(processors: processors, journal: journal, board: board)
        let events = session.events()
        (self.board, self.desk, self.events) = (board, desk, events)
        listening = runtime.task {
            var writer = StatusWriter(processors, idle: idle)
            for await event in events {
                board.show(writer.apply(event))
                switch event.kind {
                case .ended(let transcript): desk.note(.ended(event.take, transcript))
                case .cancelled: desk.note(.cancelled(event.take))
                default: break
                }
            }
        }
        runtime.task { await desk.work() }
    }

    deinit {
        listening.cancel()
        board.close()
        desk.close()
    }

    /// Loads the engine's model ahead of the first take.
    ///
    /// - Throws: The errors of `DictationSession.prepare()`.
    public func prepare() async throws(DictationError) { try await session.prepare() }

    /// Carries out an intent and returns the answer. See ``DictationControl/perform(_:)``.
    public func perform(_ intent: DictationIntent) async throws(DictationError) -> DictationAnswer {
        try await answer(to: issue(intent))
    }

    /// Starts a take that is recorded until the hold is released. See ``DictationControl/hold(profile:)``.
    public func hold(profile: String? = nil) async throws(DictationError) -> DictationHold {
        try await hold(beginHold(profile: profile))
    }

    /// Returns the present status, and then its changes. See ``DictationControl/statusUpdates()``.
    public func statusUpdates() async -> ServiceStatusUpdates { board.updates() }

    /// Stops the take, keeps its text, and waits until all texts are in the journal. Call this before exiting.
    ///
    /// A caller that stopped the take before still gets its text.
    public func close() async {
        await session.stop()
        await waitUntilSettled()
    }

    /// Waits until the last take has finished its clean-up, and all texts are in the journal.
    ///
    /// It returns within seconds, even when the microphone or the disk hangs.
    public func waitUntilSettled() async {
        await session.waitUntilSettled()
        await events.dealtWith()
        await desk.waitUntilSettled()
    }
}
