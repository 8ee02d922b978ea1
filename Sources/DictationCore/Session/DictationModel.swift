public import Observation

/// An observable model of a session for a user interface. Its properties change on the main actor.
///
/// Show ``finalText`` and ``stableText`` in the normal color and then ``changingText`` dimmed: only the last one is
/// rewritten as the user speaks. Views that read the properties update by themselves; other code observes the model:
///
///     import Observation
///
///     let model = DictationModel(session)
///     for await text in Observations({ model.text }) { print(text) }
///
/// Its methods never throw; ``error`` has the last error.
@MainActor @Observable
public final class DictationModel {
    /// A take that ended, and the place where it was started.
    public struct EndedTake: Sendable, Hashable {
        /// The take.
        public var id: TakeID
        /// The place where the take was started, such as the name of the text field that its text is for.
        public var origin: String?
        /// The take's text, and its error if it failed.
        public var transcript: Transcript

        /// Creates an ended take.
        public init(id: TakeID, origin: String?, transcript: Transcript) {
            self.id = id
            self.origin = origin
            self.transcript = transcript
        }
    }

    /// The session's state.
    public private(set) var state = DictationState.idle
    /// The final results of the shown take, with their times and words, for instance for undo and saving.
    public private(set) var phrases: [SpeechResult] = []
    /// The text of ``phrases``.
    public private(set) var finalText = ""
    /// The beginning of the volatile text on which several results agree. It never includes the last word of a result,
    /// which may be the beginning of a longer word.
    public private(set) var stableText = ""
    /// The rest of the volatile text.
    public private(set) var changingText = ""
    /// The loudness of the newest audio.
    public private(set) var level = AudioLevel.silence
    /// The length of the take's audio.
    public private(set) var elapsed = Duration.zero
    /// Whether audio has arrived since recording began or went on. Only then invite the user to speak.
    public private(set) var hasAudio = false
    /// The condition of the input while the session records: speech, or the way in which speech is missing.
    public private(set) var input: InputCondition?
    /// Why the microphone delivers no audio; `nil` while it delivers some.
    public private(set) var interruption: InterruptionCause?
    /// Whether the engine is ready for this take. It is `false` again once the take ends. Speech before the engine is
    /// ready is kept.
    public private(set) var isEngineReady = false
    /// The last error of the shown take. The next take clears it.
    public private(set) var error: DictationError?
    /// The text of the last take that ended.
    public private(set) var transcript: Transcript?
    /// The place where the shown take was started, such as the name of the text field that its text is for.
    public private(set) var origin: String?

    /// Called once with each take that ends, also with one that failed. An app inserts the text here. There is no call
    /// for a cancelled take.
    @ObservationIgnored public var onTranscript: ((EndedTake) -> Void)?

    /// The session that is shown.
    public let session: DictationSession
    @ObservationIgnored private let events: DictationEvents
    @ObservationIgnored private var shown = DictationSnapshot()
    @ObservationIgnored private var stablePrefix = StablePrefix()
    @ObservationIgnored private var origins: [TakeID: String] = [:]
    @ObservationIgnored private var listening: Task<Void, Never>?

    /// Creates a model that shows a session for as long as the model exists.
    public init(_ session: DictationSession) {
        self.session = session
        let events = session.events()
        self.events = events
        listening = session.runtime.task { [weak self] in
            for await event in events {
                guard let self else { return }
                await apply(event)
            }
        }
    }

    isolated deinit { listening?.cancel() }

    /// The language of the speech.
    public var locale: SpeechLocale { session.configuration.recognition.locale }

    /// All of the present text: final, stable and changing.
    public var text: String { locale.join([finalText, stableText, changingText]) }

    // When one of these calls returns, the properties already show its effect.

    /// Starts a take. ``error`` shows a failure.
    ///
    /// - Parameter origin: The place where the take is started, such as the name of a text field. A take that is
    ///   already under way keeps its origin.
    public func start(from origin: String? = nil) async {
        await perform { () throws(DictationError) in try await self.begin(from: origin) { _ in .start } }
    }

    /// Stops the take and returns its text.
    @discardableResult
    public func stop() async -> Transcript {
        let transcript = await session.stop()
        await events.listener.dealtWith()
        return transcript
    }

    /// Cancels the take and deletes its text.
    public func cancel() async { await perform { await self.session.cancel() } }

    /// Stops the take that is starting, recording or paused; if there is none, starts one. ``error`` shows a failure.
    ///
    /// - Parameter origin: The place where a new take is started, such as the name of a text field.
    public func toggle(from origin: String? = nil) async {
        if session.state.isActive { await stop() } else { await start(from: origin) }
    }

    /// Pauses the take and closes the microphone.
    public func pause() async { await perform { await self.session.pause() } }

    /// Resumes a paused take. ``error`` shows a failure.
    public func resume() async {
        await perform { () throws(DictationError) in try await self.session.resume() }
    }

    /// Starts a take and stores its origin. Both happen in one step on the main actor, before any event is shown.
    private func begin(
        from origin: String?, _ command: (SessionMachine) -> SessionMachine.Command?
    ) async throws(DictationError) {
        let begun = session.perform(command)
        if begun.isNew, let take = begun.take { origins[take.id] = origin }
        try await session.started(begun)
    }

    private func perform(_ call: () async throws(DictationError) -> Void) async {
        var failure: DictationError?
        do throws(DictationError) { try await call() } catch { failure = error }
        await events.listener.dealtWith()
        if let failure { show(failure) }
    }

    private func show(_ error: DictationError) {
        if error.code != .cancelled { self.error = error }
    }

    private func apply(_ event: DictationEvent) {
        let before = shown.take
        shown.apply(event)
        if shown.take != before { begin(shown.take) }
        switch event.kind {
        case .snapshot:
            stablePrefix.reset()
            showFinals()
            if case .failed(let error) = shown.state { show(error) }
            showTail()
        case .text(let change) where event.take == shown.take: show(change)
        case .spoolFailed(let error) where event.take == shown.take: show(error)
        case .ended(let transcript): end(event.take, transcript)
        case .cancelled:
            origins[event.take] = nil
            if event.take == shown.take {
                showFinals()
                showTail()
            }
        default: break
        }
        update(\.state, shown.state)
        update(\.level, shown.level)
        update(\.elapsed, shown.elapsed)
        update(\.hasAudio, shown.hasAudio)
        update(\.input, shown.input)
        update(\.interruption, shown.interruption)
        update(\.isEngineReady, shown.isEngineReady)
    }

    /// Sets a property only if its value changes, so that observers are not woken for nothing.
    private func update<Value: Equatable>(_ property: ReferenceWritableKeyPath<DictationModel, Value>, _ new: Value) {
        if self[keyPath: property] != new { self[keyPath: property] = new }
    }

    private func begin(_ take: TakeID) {
        origin = origins[take]
        error = nil
        showFinals()
        stablePrefix.reset()
        showTail()
    }

    private func end(_ take: TakeID, _ transcript: Transcript) {
        self.transcript = transcript
        if take == shown.take {
            showFinals()
            showTail()
            if let error = transcript.error { show(error) }
        }
        onTranscript?(EndedTake(id: take, origin: origins.removeValue(forKey: take), transcript: transcript))
    }

    private func show(_ change: TextChange) {
        if !change.finalized.isEmpty {
            phrases += change.finalized
            finalText = locale.join([finalText] + change.finalized.map(\.text))
        }
        if !change.finalized.isEmpty || change.revokesText { stablePrefix.reset() }
        showTail()
    }

    private func showFinals() {
        update(\.phrases, shown.transcript.segments)
        update(\.finalText, shown.transcript.text)
    }

    private func showTail() {
        guard !shown.volatileTail.isEmpty else {
            stablePrefix.reset()
            (stableText, changingText) = ("", "")
            return
        }
        (stableText, changingText) = stablePrefix.split(shown.volatileTail, in: locale)
    }
}
