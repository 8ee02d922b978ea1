public import Observation

/// A session as a user interface shows it: properties that change on the main actor.
///
/// Show `finalText` and `stableText` as they are, and `changingText` dimmed after them: what is in the first two is not
/// rewritten under the reader's eyes.
@MainActor @Observable
public final class DictationModel {
    /// Where the session is.
    public private(set) var state = DictationState.idle
    /// The text that won't change any more.
    public private(set) var finalText = ""
    /// The beginning of the volatile text that several results agreed on.
    public private(set) var stableText = ""
    /// The rest of the volatile text.
    public private(set) var changingText = ""
    /// How loud it is.
    public private(set) var level = AudioLevel.silence
    /// How long the take is.
    public private(set) var elapsed = Duration.zero
    /// What comes from the microphone: speech, or which kind of nothing.
    public private(set) var input: InputCondition?
    /// Why the microphone gives nothing, while it does.
    public private(set) var interruption: InterruptionCause?
    /// Whether the engine is ready; what is said before is not lost.
    public private(set) var isEngineReady = false
    /// What went wrong last; gone with the next start.
    public private(set) var error: DictationError?
    /// The text of the last take that ended.
    public private(set) var transcript: Transcript?
    /// Where dictation was started, such as the field that its text is for.
    public private(set) var origin: String?

    /// Called with the text of each take that ends, however it ended: here an app puts the text where it belongs. One
    /// that was cancelled has no text and no call.
    @ObservationIgnored public var whenEnded: ((Transcript) -> Void)?

    /// The session that is shown.
    public let session: DictationSession
    @ObservationIgnored private let events: DictationEvents
    @ObservationIgnored private var stablePrefix = StablePrefix()
    @ObservationIgnored private var listening: Task<Void, Never>?
    @ObservationIgnored private var take: TakeID?

    /// Makes a model that follows a session until it is let go of.
    public init(_ session: DictationSession) {
        self.session = session
        let events = session.events
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

    /// Starts a take; an error is shown in `error`.
    public func start(from origin: String? = nil) async {
        self.origin = origin
        await perform { session throws(DictationError) in try await session.start() }
    }

    /// Stops the take and returns its text.
    @discardableResult
    public func stop() async -> Transcript {
        let transcript = await session.stop()
        await events.listener.dealtWith()
        return transcript
    }

    /// Throws the take away.
    public func cancel() async { await perform { session in await session.cancel() } }

    /// Starts or stops; an error is shown in `error`.
    public func toggle(from origin: String? = nil) async {
        if session.state.isActive { await stop() } else { await start(from: origin) }
    }

    /// Lets go of the microphone and keeps the take.
    public func pause() async { await perform { session in await session.pause() } }

    /// Goes on with a paused take; an error is shown in `error`.
    public func resume() async {
        await perform { session throws(DictationError) in try await session.resume() }
    }

    private func perform(_ call: (DictationSession) async throws(DictationError) -> Void) async {
        var failure: DictationError?
        do throws(DictationError) { try await call(session) } catch { failure = error }
        await events.listener.dealtWith()
        if let failure { show(failure) }
    }

    private func show(_ error: DictationError) {
        if error.code != .cancelled { self.error = error }
    }

    private func apply(_ event: DictationEvent) {
        if case .ended(let transcript) = event.kind {
            self.transcript = transcript
            if let error = transcript.error { show(error) }
            whenEnded?(transcript)
            return
        }
        if event.take != take { begin(event.take) }
        switch event.kind {
        case .snapshot(let snapshot): apply(snapshot)
        case .state(let state): self.state = state
        case .engineReady: isEngineReady = true
        case .text(let change): apply(change)
        case .level(let level):
            self.level = level
            elapsed = session.elapsed
        case .input(let input): self.input = input
        case .interrupted(let cause): interruption = cause
        case .resumed: interruption = nil
        case .spoolFailed(let error): show(error)
        case .gap, .routeChanged, .ended: break
        }
    }

    private func begin(_ take: TakeID) {
        self.take = take
        finalText = ""
        showTail([])
        level = .silence
        elapsed = .zero
        input = nil
        interruption = nil
        isEngineReady = false
        error = nil
    }

    private func apply(_ snapshot: DictationSnapshot) {
        state = snapshot.state
        finalText = snapshot.transcript.text
        input = snapshot.input
        isEngineReady = snapshot.isEngineReady
        if case .failed(let error) = snapshot.state { show(error) }
        showTail(snapshot.volatileTail)
    }

    private func apply(_ change: TextChange) {
        if !change.finalized.isEmpty {
            finalText = locale.join([finalText] + change.finalized.map(\.text))
            stablePrefix.reset()
        }
        showTail(change.volatileTail)
    }

    private func showTail(_ tail: [SpeechResult]) {
        guard !tail.isEmpty else {
            stablePrefix.reset()
            (stableText, changingText) = ("", "")
            return
        }
        (stableText, changingText) = stablePrefix.split(locale.join(tail.map(\.text)))
    }
}
