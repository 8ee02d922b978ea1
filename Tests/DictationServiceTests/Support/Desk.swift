import DictationCapture
import DictationCore
import DictationEngines
import DictationService
import DictationText

/// A service around a scripted engine and microphone. The engine counts: a word every half second, and a final result
/// every two seconds.
func countingService(
    script: ScriptedEngine.Script = .counting, microphone: [ScriptedCapturer.Step] = [.tone(440, for: .seconds(3_600))],
    processors: [any TextProcessor] = [], journal: TextJournal? = nil, spool: (any AudioSpool)? = nil,
    configure: (inout DictationSession.Configuration) -> Void = { _ in }
) -> DictationService {
    var configuration = DictationSession.Configuration(tail: .zero)
    configure(&configuration)
    let session = DictationSession(
        engine: ScriptedEngine(script), capturer: ScriptedCapturer(microphone), spool: spool,
        configuration: configuration)
    return DictationService(session: session, model: "counter", processors: processors, journal: journal)
}

extension DictationAnswer {
    /// The answer without what differs from run to run.
    var words: String {
        switch self {
        case .recording(let take): "recording \(take.number)"
        case .paused(let take): "paused \(take.number)"
        case .text(let text): "text \(text.take.number): \(text.text)"
        case .endedByAnother(let take): "ended by another \(take.number)"
        case .cancelled(let take): "cancelled \(take.number)"
        case .nothing: "nothing"
        case .status(let status): "status \(status.state)"
        }
    }
}
