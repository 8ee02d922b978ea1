/// A take as its session stores it: its phases, audio and text.
struct TakeRecord: Sendable {
    let id: TakeID
    let progress: Watched<TakeProgress>
    var machine: TakeMachine
    var live: LiveTake
    /// Carries out the machine's actions; released once none is left.
    var driver: Take?
    let spool: SpoolQueue?
    private let locale: SpeechLocale
    /// The text, once the take is over.
    private(set) var outcome: Transcript?
    /// Whether the text is complete, so that the take's audio is no longer needed.
    private(set) var isTextSafe = false

    /// How many of the final results were delivered to the readers of `finals()`.
    private var deliveredFinals = 0

    /// Whether the audio comes from the spool.
    private let isRetry: Bool
    /// Whether the audio is kept also when the text is complete.
    private let keepsAudio: Bool

    init(_ driver: Take, isRetry: Bool, keepsAudio: Bool) {
        id = driver.id
        progress = driver.progress
        // A retry keeps its audio until its text is complete, so that it can be retried again.
        machine = TakeMachine(
            driver.configuration, keepsAudio: isRetry,
            ownEndTimeout: isRetry ? .retryEndTimeout(driver.configuration) : nil)
        (self.isRetry, self.keepsAudio) = (isRetry, keepsAudio)
        live = LiveTake(driver.configuration)
        locale = driver.configuration.recognition.locale
        self.driver = driver
        spool = driver.parts.spool
    }

    /// The final text so far. A cancelled take has none.
    var transcript: Transcript {
        if machine.isCancelled { return Transcript(locale: locale, error: .takeCancelled, isComplete: false, take: id) }
        return outcome ?? transcript(isEngineDone: false, of: live)
    }

    /// The text so far, including the volatile text.
    var transcriptAsIs: Transcript {
        guard outcome == nil, !machine.isCancelled else { return transcript }
        var live = live
        _ = live.finalizeAsIs()
        return transcript(isEngineDone: false, of: live)
    }

    private func transcript(isEngineDone: Bool, of live: LiveTake) -> Transcript {
        live.transcript(of: id, locale: locale, error: machine.error, isEngineDone: isEngineDone)
    }

    func snapshot(in state: DictationSession.State) -> DictationSession.Snapshot {
        let isRecording = state == .recording
        return DictationSession.Snapshot(
            take: id, state: state, transcript: machine.isCancelled ? Transcript(locale: locale, take: id) : transcript,
            volatileTail: machine.isOver ? [] : live.text.volatileTail, elapsed: live.position,
            hasAudio: isRecording && live.lastArrival != nil, level: isRecording ? live.level : .silence,
            input: isRecording ? live.input.condition : nil, interruption: isRecording ? live.interruption : nil,
            isEngineReady: machine.isEngineReady && !machine.isOver)
    }

    /// Returns the results that became final since the last call.
    mutating func takeNewFinals() -> ArraySlice<SpeechResult> {
        defer { deliveredFinals = live.text.finalResults.count }
        return live.text.finalResults[deliveredFinals...]
    }

    func begin() { driver?.begin() }

    /// Ends the take's text; returns the events to publish and the actions that follow.
    mutating func conclude() -> ([DictationEvent.Kind], [TakeMachine.Action]) {
        // An engine that didn't fail would have taken the rest, had it been quicker.
        var kinds = live.conclude(
            givenThrough: driver?.input.close() ?? .zero,
            because: machine.hasEngineFailed ? .engineFailed : .engineBehind)
        // Without audio the engine had no work to finish.
        let isEngineDone = machine.isEngineDone || live.position == .zero
        var transcript = transcript(isEngineDone: isEngineDone, of: live)
        // A retry that was stopped has not read all of the kept audio.
        if machine.isCutShort || isRetry && !machine.hasSourceEnded { transcript.isComplete = false }
        isTextSafe = transcript.isComplete
        outcome = transcript
        kinds.append(.ended(transcript))
        return (kinds, machine.finish(isTextSafe: isTextSafe && !keepsAudio))
    }

    /// Publishes the take's progress to the tasks that wait for it.
    func note() {
        let machine = machine
        let transcript = machine.isOver ? transcript : nil
        progress.change { $0 = TakeProgress(machine, transcript) }
    }
}

/// The progress of a take, for tasks that wait for a part of it.
struct TakeProgress: Sendable {
    private(set) var isUp = false
    private(set) var isMicrophoneOpen = false
    private(set) var wantsAudio = true
    private(set) var isEnding = false
    private(set) var isCancelled = false
    private(set) var isReleased = false
    private(set) var isSettled = false
    private(set) var error: DictationError?
    /// The text, once the take is over; empty when the take was cancelled.
    private(set) var outcome: Transcript?

    init() {}

    init(_ machine: TakeMachine, _ outcome: Transcript?) {
        isUp = machine.isUp
        isMicrophoneOpen = machine.stream != nil
        wantsAudio = machine.wantsAudio
        isEnding = machine.isEnding
        isCancelled = machine.isCancelled
        isReleased = machine.isReleased
        isSettled = machine.isSettled
        error = machine.error
        self.outcome = outcome
    }

    /// The result of the start; `nil` while the take is starting. A take that is asked to pause or stop counts as
    /// started.
    var start: Result<Void, DictationError>? {
        if isCancelled { return .failure(.takeCancelled) }
        if let error { return outcome.map { _ in .failure(error) } }
        return isUp || !wantsAudio || isEnding ? .success(()) : nil
    }

    /// The result of opening the microphone, whether or not the engine is ready; `nil` while it is opening.
    var opening: Result<Void, DictationError>? { isMicrophoneOpen && !isCancelled ? .success(()) : start }
}
