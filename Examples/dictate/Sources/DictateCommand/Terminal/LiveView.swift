import DictationCore
import Synchronization

/// A take as it is seen: the text that may still change, dimmed, and a line about the microphone.
final class LiveView: Sendable {
    private struct State {
        var tail: [SpeechResult] = []
        var phase = DictationState.idle
        var isEngineReady = false
        var level = AudioLevel.silence
        var input: InputCondition?
        var interruption: InterruptionCause?
        var drawn: Duration = .seconds(-1)
    }

    private let panel: LivePanel
    private let session: DictationSession
    private let showsMeter: Bool
    private let runtime = DictationRuntime.current
    private let state = Mutex(State())

    init(panel: LivePanel, session: DictationSession, showsMeter: Bool) {
        self.panel = panel
        self.session = session
        self.showsMeter = showsMeter
    }

    func apply(_ event: DictationEvent) {
        let isUrgent = state.withLock { state in
            switch event.kind {
            case .text(let change): state.tail = change.volatileTail
            case .snapshot(let snapshot):
                state.tail = snapshot.volatileTail
                state.phase = snapshot.state
            case .level(let level): state.level = level
            case .state(let phase): state.phase = phase
            case .engineReady: state.isEngineReady = true
            case .input(let input): state.input = input
            case .interrupted(let cause): state.interruption = cause
            case .resumed, .routeChanged: state.interruption = nil
            case .gap, .spoolFailed, .ended: break
            }
            // Levels come fifty times a second, which no eye follows.
            if case .level = event.kind, runtime.now() - state.drawn < .milliseconds(50) { return false }
            state.drawn = runtime.now()
            return true
        }
        if isUrgent { panel.show(lines) }
    }

    private var lines: [LivePanel.Line] {
        let elapsed = session.elapsed
        let locale = session.configuration.recognition.locale
        return state.withLock { state in
            var lines: [LivePanel.Line] = []
            if !state.tail.isEmpty {
                lines.append(.init(text: locale.join(state.tail.map(\.text)), style: .dim, wraps: true))
            }
            let level = showsMeter ? meter(state.level, columns: 20) + " " : ""
            lines.append(.init(text: "● \(clock(elapsed)) \(level) \(Self.words(for: state))"))
            return lines
        }
    }

    private static func words(for state: State) -> String {
        switch state.phase {
        case .starting: return "opening the microphone…"
        case .finalizing: return "finishing…"
        case .recording: break
        case .idle, .paused, .failed: return ""
        }
        switch state.interruption {
        case .deviceLost: return "the microphone is gone; waiting for it"
        case .suspended: return "the microphone is suspended; waiting for it"
        case .noData: return "the microphone gives nothing; waiting for it"
        case nil: break
        }
        switch state.input {
        case .noAudio: return "no sound arrives: is the microphone plugged in?"
        case .digitalSilence: return "nothing but zeros: is the microphone muted?"
        case .noSpeech: return "too quiet for speech"
        case .speech, nil: return state.isEngineReady ? "listening; Ctrl-C stops" : "getting ready; speak already"
        }
    }
}
