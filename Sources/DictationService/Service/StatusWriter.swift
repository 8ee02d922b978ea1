import DictationCore
import DictationText

/// Turns the events of a session into statuses, with the text as the processors write it.
struct StatusWriter {
    private let profiles: TakeProfiles
    /// The profile of the take that is shown.
    private var chosen: TakeProfiles.Chosen
    private var shown = DictationSession.Snapshot()
    private var processing: TextProcessorChain
    private var written: [SpeechResult] = []
    private var stablePrefix = TranscriptAccumulator.StablePrefix()
    private var error: DictationError?
    private var spoolError: DictationError?

    init(_ profiles: TakeProfiles) {
        self.profiles = profiles
        chosen = profiles.profile(of: DictationSession.Snapshot().take)
        processing = TextProcessorChain(
            chosen.profile.processors, locale: chosen.profile.configuration.recognition.locale)
    }

    private var processors: [any TextProcessor] { chosen.profile.processors }

    /// Takes an event into account and returns the status after it.
    mutating func apply(_ event: DictationEvent) -> ServiceStatus {
        let before = shown.take
        shown.apply(event)
        if shown.take != before {
            chosen = profiles.profile(of: shown.take)
            begin()
        }
        switch event.kind {
        case .snapshot: write(again: shown.transcript.segments)
        case .text(let change) where event.take == shown.take:
            for result in change.finalResults { add(result) }
            if change.startsOver { stablePrefix.reset() }
        case .ended(let transcript) where event.take == shown.take:
            written = transcript.processed(by: processors).segments
            restart()
            error = transcript.error
        case .cancelled where event.take == shown.take: begin()
        case .state(.failed(let error)): self.error = error
        case .spoolFailed(let error) where event.take == shown.take: spoolError = error
        default: break
        }
        return status()
    }

    private mutating func begin() {
        written = []
        (error, spoolError) = (nil, nil)
        restart()
    }

    /// Adds a final result. Without processors it is written at once. Otherwise its last words may still be written
    /// differently, depending on what follows.
    private mutating func add(_ result: SpeechResult) {
        written += processors.isEmpty ? [result] : processing.add(result)
    }

    private mutating func restart() {
        stablePrefix.reset()
        processing = TextProcessorChain(processors, locale: chosen.profile.configuration.recognition.locale)
    }

    private mutating func write(again segments: [SpeechResult]) {
        begin()
        for result in segments { add(result) }
        if !shown.state.isActive, shown.state != .finalizing { written += processing.finish() }
        if case .failed(let error) = shown.state { self.error = error }
    }

    /// Returns the present status. Text that changed since the last one counts as another hypothesis.
    private mutating func status() -> ServiceStatus {
        var status = ServiceStatus(chosen.profile)
        status.profile = chosen.name
        status.state = ServiceStatus.State(shown.state)
        status.take = shown.take.number > 0 ? shown.take : nil
        status.elapsed = shown.elapsed
        status.level = shown.level.rms
        status.lines = written.lines(in: status.locale)
        status.finalText = status.locale.join(written.map(\.text))
        let tail = processors.isEmpty ? shown.volatileTail : processing.preview(shown.volatileTail)
        if !tail.isEmpty { (status.stableText, status.changingText) = stablePrefix.split(tail, in: status.locale) }
        status.hasAudio = shown.hasAudio
        status.isEngineReady = shown.isEngineReady
        status.input = shown.input
        status.interruption = shown.interruption
        status.error = error
        status.loss = shown.transcript.loss
        status.spoolError = spoolError
        return status
    }
}

extension [SpeechResult] {
    /// The texts of speakers, in turns; none if no speaker is known.
    fileprivate func lines(in locale: SpeechLocale) -> [ServiceStatus.Line] {
        guard contains(where: { $0.speaker != nil }) else { return [] }
        var lines: [ServiceStatus.Line] = []
        for result in self where !result.text.isEmpty {
            if let last = lines.last, last.speaker == result.speaker {
                lines[lines.count - 1].text = locale.join([last.text, result.text])
            } else {
                lines.append(ServiceStatus.Line(speaker: result.speaker, text: result.text))
            }
        }
        return lines
    }
}

extension ServiceStatus {
    /// The status of an idle service with a profile.
    init(_ profile: DictationProfile) {
        self.init(
            engine: profile.engine.name, model: profile.model, locale: profile.configuration.recognition.locale)
    }
}

extension ServiceStatus.State {
    init(_ state: DictationSession.State) {
        self =
            switch state {
            case .idle: .idle
            case .starting: .starting
            case .recording: .recording
            case .paused: .paused
            case .finalizing: .finalizing
            case .failed: .failed
            }
    }
}
