import DictationCore
import Synchronization

/// Shows a take: its volatile text, of which the part that may still change is dimmed, and a line about the microphone.
final class LiveView: Sendable {
    private struct State {
        var shown = DictationSession.Snapshot()
        var prefix = TranscriptAccumulator.StablePrefix()
        var drawn: Duration = .seconds(-1)
    }

    private let panel: LivePanel
    private let session: DictationSession
    private let texts: WrittenTexts
    private let showsMeter: Bool
    private let runtime = DictationRuntime.current
    private let state = Mutex(State())

    init(panel: LivePanel, session: DictationSession, texts: WrittenTexts, showsMeter: Bool) {
        self.panel = panel
        self.session = session
        self.texts = texts
        self.showsMeter = showsMeter
    }

    func apply(_ event: DictationEvent) {
        let isUrgent = state.withLock { state in
            state.shown.apply(event)
            switch event.kind {
            case .text(let change) where !change.startsOver: break
            case .text, .snapshot, .ended, .cancelled: state.prefix.reset()
            default: break
            }
            // Levels arrive fifty times a second.
            if case .level = event.kind, runtime.now() - state.drawn < .milliseconds(50) { return false }
            state.drawn = runtime.now()
            return true
        }
        if isUrgent { panel.show(lines) }
    }

    private var lines: [LivePanel.Line] {
        let locale = session.configuration.recognition.locale
        var lines: [LivePanel.Line] = []
        let (shown, text) = state.withLock { state in
            let tail = texts.preview(state.shown.volatileTail, of: 0)
            return (state.shown, tail.isEmpty ? nil : state.prefix.split(tail, in: locale))
        }
        if let text {
            lines.append(
                .init(
                    text: locale.join([text.stable, text.rest]).onOneLine, style: .dim, wraps: true,
                    plainCount: text.stable.onOneLine.count { !$0.isWhitespace }))
        }
        let level = showsMeter ? meter(shown.level, columns: 20) + " " : ""
        lines.append(.init(text: "● \(clock(shown.elapsed)) \(level) \(Self.words(for: shown))"))
        return lines
    }

    /// Describes the microphone. It invites to speak once audio arrives: nothing said before is recorded.
    static func words(for shown: DictationSession.Snapshot) -> String {
        switch shown.state {
        case .starting: return "opening the microphone…"
        case .finalizing: return "finishing…"
        case .recording: break
        case .idle, .paused, .failed: return ""
        }
        switch shown.interruption {
        case .deviceLost: return "the microphone is gone; waiting for it"
        case .suspended: return "the microphone is suspended; waiting for it"
        case .noData: return "the microphone sends nothing; waiting for it"
        case nil: break
        @unknown default: return "the microphone is interrupted; waiting for it"
        }
        switch shown.input {
        case .noAudio: return "no sound arrives: is the microphone plugged in?"
        case .digitalSilence: return "nothing but zeros: is the microphone muted?"
        case .noSpeech: return "too quiet for speech"
        default:
            guard shown.hasAudio else { return "opening the microphone…" }
            return shown.isEngineReady ? "listening; Ctrl-C stops" : "getting ready; speak already"
        }
    }
}
