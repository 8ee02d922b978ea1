import Synchronization

/// One stretch of dictation, from start to text: a microphone, a backlog, an engine session and what they gave.
///
/// A take runs by itself and tells its session what happens. Nothing that hangs inside it holds up its outcome: every
/// wait is on `control`, and the stop limit settles the take from outside.
final class Take: Sendable {
    /// What a take is made of.
    struct Parts: Sendable {
        let engine: any SpeechEngine
        let capturer: any AudioCapturer
        let converters: any FormatConverterProvider
        let spool: TakeSpool?
        let configuration: DictationConfiguration
        let runtime: DictationRuntime
    }

    /// How a take tells its session what happens.
    struct Host: Sendable {
        /// Reports what the closure notes, in one step: no command comes in between.
        let report: @Sendable (() -> SessionMachine.Report) -> Void
        /// Tells the listeners what a change brought about, with no snapshot in between.
        let publish: @Sendable (() -> [DictationEvent.Kind]) -> Void
    }

    /// How long closing a microphone may take before it is left behind.
    static let closeLimit = Duration.seconds(2)

    let id: TakeID
    let parts: Parts
    let control = Watched(TakeControl())
    let live: Mutex<LiveTake>
    let backlog: AudioBacklog
    private let host: Host

    init(_ id: TakeID, _ parts: Parts, host: Host) {
        self.id = id
        self.parts = parts
        self.host = host
        live = Mutex(LiveTake(configuration: parts.configuration))
        backlog = AudioBacklog(capacity: parts.configuration.backlog)
    }

    var runtime: DictationRuntime { parts.runtime }
    var configuration: DictationConfiguration { parts.configuration }

    // MARK: What the session asks for

    func pause() { control.change { _ = $0.want(.pause) } }
    func resume() { control.change { _ = $0.want(.record) } }

    /// Takes no more audio and makes the text final, within the stop limit.
    func drain() {
        guard control.change({ $0.want(.drain) }) else { return }
        runtime.task { [self] in
            let isOver = await runtime.within(configuration.stopLimit) { [control] in
                await control.first { $0.isOver ? true : nil }
            }
            if isOver == nil { settle() }
        }
    }

    /// Throws the take away, its audio too unless that is to be kept.
    func abandon() { control.change { _ = $0.want(.abandon) } }

    /// Has the audio outlive the take unless its text is safe. What was thrown away before stays so.
    func keepAudio() { control.change { if !$0.isAbandoned { $0.keepsAudio = true } } }

    /// Waits until the take is up, over, or asked to pause or stop.
    func started() async throws(DictationError) {
        let end = await control.first { control -> Result<Void, DictationError>? in
            if control.isAbandoned { return .failure(.takeCancelled) }
            if let error = control.error { return control.announced.map { _ in .failure(error) } }
            let isUp = control.isCapturing && control.isEngineReady
            return isUp || control.wish != .record || control.announced != nil ? .success(()) : nil
        }
        try (end ?? .failure(.callCancelled)).get()
    }

    /// Waits for the take's text.
    func finished() async -> Transcript {
        let locale = configuration.recognition.locale
        let transcript = await control.first { control -> Transcript? in
            if control.isAbandoned { return Transcript(locale: locale, error: .takeCancelled, isComplete: false) }
            return control.announced
        }
        return transcript ?? snapshotTranscript()
    }

    /// The text so far.
    func snapshotTranscript() -> Transcript {
        let error = control.value.error
        return live.withLock {
            $0.transcript(locale: configuration.recognition.locale, error: error, isEngineDone: false)
        }
    }

    // MARK: The take's course

    /// Runs the take; an earlier one may still hold the microphone.
    func run(after previous: Take?) async {
        if let previous {
            _ = await runtime.within(Self.closeLimit) { [control = previous.control] in
                await control.first { $0.isCapturerReleased ? true : nil }
            }
        }
        let engine = runtime.task { [self] in await runEngine() }
        await runCapture()
        control.change { $0.isCapturerReleased = true }
        host.publish { live.withLock { $0.settleLoss() } }
        backlog.finish()
        if live.withLock({ $0.position > .zero }) {
            _ = await control.first { $0.engineEnd != nil || $0.isOver ? true : nil }
        }
        settle()
        let session = control.change { $0.session }
        engine.cancel()
        await session?.cancel()
        await parts.spool?.settle(isTextSafe: control.value.isTextSafe)
        control.change { $0.isSettled = true }
    }

    /// Takes no more audio, of the take's own accord.
    func endByItself(_ error: DictationError? = nil) {
        control.change { control in
            if let error { control.note(error) }
        }
        host.report { .ending }
        drain()
    }

    func publish(_ change: (inout LiveTake) -> [DictationEvent.Kind]) {
        host.publish { control.value.isOver ? [] : live.withLock { change(&$0) } }
    }

    /// Notes that a stream is open, and that it is wanted unless a pause came first; answers its number.
    func beginCapturing() -> Int {
        var number = 0
        host.report {
            number = control.change { control in
                control.isCapturing = control.wish != .pause
                return control.stream
            }
            return .capturing
        }
        return number
    }

    /// Ends the take, once: what the engine did not take is a gap, what was volatile is final.
    private func settle() {
        let rest = backlog.takeRest()
        let locale = configuration.recognition.locale
        var error: DictationError?
        var isSettled = false
        host.publish {
            guard !control.value.isOver else { return [] }
            let now = control.value
            var kinds = live.withLock { live in
                var kinds = live.finalizeAsIs()
                for buffer in rest { kinds += live.drop(buffer, cause: .engineFailed) }
                return kinds + live.settleLoss()
            }
            error = now.error
            var isEngineDone = false
            if case .success = now.engineEnd { isEngineDone = true }
            let transcript = live.withLock {
                $0.transcript(
                    locale: locale, error: now.error, isEngineDone: isEngineDone || $0.position == .zero)
            }
            kinds.append(.ended(transcript))
            control.change { $0.outcome = transcript }
            isSettled = true
            return kinds
        }
        guard isSettled else { return }
        host.report { .done(error) }
        control.change { $0.isAnnounced = true }
    }
}

extension DictationError {
    static let takeCancelled = DictationError(
        .cancelled, "The take was cancelled.", recovery: "Start again when its text is wanted after all.")
    static let callCancelled = DictationError(.cancelled, "The call was cancelled while it waited.")
}
