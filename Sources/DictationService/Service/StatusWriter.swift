import DictationCore
import DictationText

/// Turns the events of a session into statuses, with the text as the processors write it.
struct StatusWriter {
    private let processors: [any TextProcessor]
    private let idle: ServiceStatus
    private var shown = DictationSnapshot()
    private var processing: TextProcessing
    private var written: [SpeechResult] = []
    private var error: DictationError?

    init(_ processors: [any TextProcessor], idle: ServiceStatus) {
        self.processors = processors
        self.idle = idle
        processing = TextProcessing(processors, locale: idle.locale)
    }

    /// Takes an event into account and returns the status after it.
    mutating func apply(_ event: DictationEvent) -> ServiceStatus {
        let before = shown.take
        shown.apply(event)
        if shown.take != before { begin() }
        switch event.kind {
        case .snapshot: write(again: shown.transcript.segments)
        case .text(let change) where event.take == shown.take:
            for result in change.finalized { add(result) }
        case .ended(let transcript) where event.take == shown.take:
            written = transcript.processed(by: processors).segments
            restart()
            error = transcript.error
        case .cancelled where event.take == shown.take: begin()
        case .state(.failed(let error)): self.error = error
        default: break
        }
        return status
    }

    private mutating func begin() {
        written = []
        error = nil
        restart()
    }

    /// Adds a final result. Without processors it is written at once. Otherwise its last words may still be written
    /// differently, depending on what follows.
    private mutating func add(_ result: SpeechResult) {
        written += processors.isEmpty ? [result] : processing.add(result)
    }

    private mutating func restart() { processing = TextProcessing(processors, locale: shown.transcript.locale) }

    private mutating func write(again segments: [SpeechResult]) {
        begin()
        for result in segments { add(result) }
        if !shown.state.isActive, shown.state != .finalizing { written += processing.finish() }
        if case .failed(let error) = shown.state { self.error = error }
    }

    private var status: ServiceStatus {
        var status = idle
        status.state = ServiceStatus.State(shown.state)
        status.take = shown.take.number > 0 ? shown.take : nil
        status.elapsed = shown.elapsed
        status.level = shown.level.rms
        status.locale = shown.transcript.locale
        status.stableText = status.locale.join(written.map(\.text))
        let tail = processors.isEmpty ? shown.volatileTail : processing.preview(shown.volatileTail)
        status.volatileText = status.locale.join(tail.map(\.text))
        status.isEngineReady = shown.isEngineReady
        status.input = shown.input
        status.interruption = shown.interruption
        status.error = error
        return status
    }
}

extension ServiceStatus.State {
    init(_ state: DictationState) {
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
