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
///
/// A model may show a service in another process in the same way: `DictationModel(following:)` of DictationService.
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
    public private(set) var state = DictationSession.State.idle
    /// The final results of the shown take, with their times and words, for instance for undo and saving.
    public private(set) var finalResults: [SpeechResult] = []
    /// The text of ``finalResults``.
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
    public private(set) var input: DictationSession.InputCondition?
    /// Why the microphone delivers no audio; `nil` while it delivers some.
    public private(set) var interruption: CaptureEvent.InterruptionCause?
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

    /// The session that is shown; `nil` for a service in another process.
    public var session: DictationSession? { if case .session(let session, _) = source { session } else { nil } }
    private enum Source {
        case session(DictationSession, DictationSession.Events)
        case service(any FollowedService)
    }

    @ObservationIgnored private let source: Source
    @ObservationIgnored private var serviceLocale: SpeechLocale = "en-US"
    @ObservationIgnored private var shown = DictationSession.Snapshot()
    @ObservationIgnored private var stablePrefix = TranscriptAccumulator.StablePrefix()
    @ObservationIgnored private var origins: [TakeID: String] = [:]
    @ObservationIgnored private var listening: Task<Void, Never>?

    /// Creates a model that shows a session for as long as the model exists.
    public init(_ session: DictationSession) {
        let events = session.events()
        source = .session(session, events)
        listening = session.runtime.task { [weak self] in
            for await event in events {
                guard let self else { return }
                await apply(event)
            }
        }
    }

    /// Creates a model that shows a service for as long as the model exists.
    package init(_ service: any FollowedService) {
        source = .service(service)
        let runtime = DictationRuntime.current
        listening = runtime.task { [weak self] in
            for await state in service.states() {
                guard let self else { return }
                await show(state)
            }
        }
    }

    isolated deinit { listening?.cancel() }

    /// The language of the speech.
    public var locale: SpeechLocale { session?.configuration.recognition.locale ?? serviceLocale }

    /// All of the present text: final, stable and changing.
    public var text: String { locale.join([finalText, stableText, changingText]) }

    // When one of these calls returns, the properties already show its effect.

    /// Starts a take. ``error`` shows a failure.
    ///
    /// - Parameter origin: The place where the take is started, such as the name of a text field. A take that is
    ///   already under way keeps its origin.
    public func start(from origin: String? = nil) async {
        await perform { session throws(DictationError) in
            try await self.begin(session, from: origin) { _ in .start }
        } or: { service throws(DictationError) in
            let underWay = self.state.isActive ? self.shown.take : nil
            let take = try await service.start()
            guard take != underWay else { return }
            self.origins[take] = origin
            if take == self.shown.take { self.update(\.origin, origin) }
        }
    }

    /// Stops the take and returns its text; an empty one if there is none.
    @discardableResult
    public func stop() async -> Transcript {
        switch source {
        case .session(let session, let events):
            let transcript = await session.stop()
            await events.listener.dealtWith()
            return transcript
        case .service(let service):
            do throws(DictationError) {
                guard let transcript = try await service.stop() else { return Transcript(locale: locale) }
                end(transcript.take ?? shown.take, transcript)
                return transcript
            } catch {
                show(error)
                return Transcript(locale: locale, error: error, isComplete: false)
            }
        }
    }

    /// Cancels the take and deletes its text.
    public func cancel() async {
        await perform { session in
            await session.cancel()
        } or: { service throws(DictationError) in
            try await service.cancel()
        }
    }

    /// Stops the take that is starting, recording or paused; if there is none, starts one. ``error`` shows a failure.
    ///
    /// - Parameter origin: The place where a new take is started, such as the name of a text field.
    public func toggle(from origin: String? = nil) async {
        if (session?.state ?? state).isActive { await stop() } else { await start(from: origin) }
    }

    /// Pauses the take and closes the microphone.
    public func pause() async {
        await perform { session in
            await session.pause()
        } or: { service throws(DictationError) in
            try await service.pause()
        }
    }

    /// Resumes a paused take. ``error`` shows a failure.
    public func resume() async {
        await perform { session throws(DictationError) in
            try await session.resume()
        } or: { service throws(DictationError) in
            try await service.resume()
        }
    }

    /// Starts a take and stores its origin. Both happen in one step on the main actor, before any event is shown.
    private func begin(
        _ session: DictationSession, from origin: String?, _ command: (SessionMachine) -> SessionMachine.Command?
    ) async throws(DictationError) {
        let begun = session.perform(command)
        if begun.isNew, let take = begun.take { origins[take.id] = origin }
        try await session.started(begun)
    }

    private func perform(
        _ call: (DictationSession) async throws(DictationError) -> Void,
        or ask: (any FollowedService) async throws(DictationError) -> Void
    ) async {
        var failure: DictationError?
        do throws(DictationError) {
            switch source {
            case .session(let session, _): try await call(session)
            case .service(let service): try await ask(service)
            }
        } catch {
            failure = error
        }
        if case .session(_, let events) = source { await events.listener.dealtWith() }
        if let failure { show(failure) }
    }

    /// Shows a service. It says its text, and the results only at the end.
    private func show(_ state: FollowedState) {
        serviceLocale = state.locale
        if state.take != shown.take {
            shown = DictationSession.Snapshot(take: state.take)
            finalResults = []
            update(\.origin, origins[state.take])
        }
        update(\.state, state.state)
        update(\.finalText, state.finalText)
        update(\.stableText, state.stableText)
        update(\.changingText, state.changingText)
        update(\.level, AudioLevel(rms: state.level, peak: state.level))
        update(\.elapsed, state.elapsed)
        update(\.hasAudio, state.hasAudio)
        update(\.input, state.input)
        update(\.interruption, state.interruption)
        update(\.isEngineReady, state.isEngineReady)
        update(\.error, state.error)
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
            shown.transcript = transcript
            showFinals()
            showTail()
            if let error = transcript.error { show(error) }
        }
        onTranscript?(EndedTake(id: take, origin: origins.removeValue(forKey: take), transcript: transcript))
    }

    private func show(_ change: DictationEvent.TextChange) {
        if !change.finalResults.isEmpty {
            finalResults += change.finalResults
            finalText = locale.join([finalText] + change.finalResults.map(\.text))
        }
        if change.startsOver { stablePrefix.reset() }
        showTail()
    }

    private func showFinals() {
        update(\.finalResults, shown.transcript.segments)
        update(\.finalText, shown.transcript.text)
    }

    private func showTail() {
        let tail = shown.volatileTail
        if tail.isEmpty { stablePrefix.reset() }
        let text = tail.isEmpty ? ("", "") : stablePrefix.split(tail, in: locale)
        update(\.stableText, text.0)
        update(\.changingText, text.1)
    }
}
