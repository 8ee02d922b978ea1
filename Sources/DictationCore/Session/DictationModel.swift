public import Observation

/// A session as a user interface shows it: properties that change on the main actor.
///
/// Show `finalText` and `stableText` as they are, and `changingText` dimmed after them: what is in the first two is not
/// rewritten under the reader's eyes. Views that read its properties update by themselves; other code observes it:
///
///     let model = DictationModel(session)
///     for await text in Observations({ model.text }) { print(text) }
///
/// Calls never throw: what went wrong is in `error`.
@MainActor @Observable
public final class DictationModel {
    /// A take that ended, with where it was started.
    public struct EndedTake: Sendable, Hashable {
        /// The take.
        public var id: TakeID
        /// Where it was started, such as the field that its text is for.
        public var origin: String?
        /// Its text and, where something went wrong, its error.
        public var transcript: Transcript

        /// Makes an ended take.
        public init(id: TakeID, origin: String?, transcript: Transcript) {
            self.id = id
            self.origin = origin
            self.transcript = transcript
        }
    }

    /// Where the session is.
    public private(set) var state = DictationState.idle
    /// The final results of the take that is shown, with their times and words: what undo and saving need.
    public private(set) var phrases: [SpeechResult] = []
    /// The text of `phrases`.
    public private(set) var finalText = ""
    /// The beginning of the volatile text that several results agreed on. The word that ends a result is never part of it:
    /// it may be the beginning of a longer one.
    public private(set) var stableText = ""
    /// The rest of the volatile text.
    public private(set) var changingText = ""
    /// How loud it is.
    public private(set) var level = AudioLevel.silence
    /// How long the take is.
    public private(set) var elapsed = Duration.zero
    /// What comes from the microphone while it records: speech, or which kind of nothing.
    public private(set) var input: InputCondition?
    /// Why the microphone gives nothing, while it does.
    public private(set) var interruption: InterruptionCause?
    /// Whether the engine is ready for this take, until the take ends. What is said before is not lost.
    public private(set) var isEngineReady = false
    /// What went wrong last in the take that is shown; gone with the next start.
    public private(set) var error: DictationError?
    /// The text of the last take that ended.
    public private(set) var transcript: Transcript?
    /// Where the take that is shown was started, such as the field that its text is for.
    public private(set) var origin: String?

    /// Called once with each take that ends, however it ended: here an app puts the text where it belongs. A take that was
    /// cancelled has no text and no call.
    @ObservationIgnored public var onTranscript: ((EndedTake) -> Void)?

    /// The session that is shown.
    public let session: DictationSession
    @ObservationIgnored private let events: DictationEvents
    @ObservationIgnored private var shown = DictationSnapshot()
    @ObservationIgnored private var stablePrefix = StablePrefix()
    @ObservationIgnored private var origins: [TakeID: String] = [:]
    @ObservationIgnored private var listening: Task<Void, Never>?

    /// Makes a model that follows a session until it is released.
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

    /// The language spoken.
    public var locale: SpeechLocale { session.configuration.recognition.locale }

    /// All of the text as it stands.
    public var text: String { locale.join([finalText, stableText, changingText]) }

    // What a call brings about is shown when it returns.

    /// Starts a take; an error is shown in `error`. A take that is under way keeps the origin that it has.
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

    /// Throws the take away.
    public func cancel() async { await perform { await self.session.cancel() } }

    /// Starts or stops; an error is shown in `error`.
    public func toggle(from origin: String? = nil) async {
        if session.state.isActive { await stop() } else { await start(from: origin) }
    }

    /// Closes the microphone and keeps the take.
    public func pause() async { await perform { await self.session.pause() } }

    /// Goes on with a paused take; an error is shown in `error`.
    public func resume() async {
        await perform { () throws(DictationError) in try await self.session.resume() }
    }

    /// Gives a take its origin before anything of it is shown, which happens on the main actor too.
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
        update(\.input, shown.input)
        update(\.interruption, shown.interruption)
        update(\.isEngineReady, shown.isEngineReady)
    }

    /// What did not change wakes nobody.
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
