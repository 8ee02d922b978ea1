import DictationCore
import DictationService
import DictationText

/// What the captions page is told of each change.
struct CaptionsEvent: Encodable, Hashable {
    /// The state of the service; `stopped` if none is running.
    var state = "stopped"
    /// The loudness, from 0 to 1.
    var level = 0.0
    var locale = "en-US"
    /// The final text, a line for each turn of a speaker.
    var lines: [ServiceStatus.Line] = []
    var stableText = ""
    var changingText = ""
    /// A problem in words.
    var problem: String?
    /// The audio of the take that has no text.
    var loss: String?

    /// The most characters of text. A page shows no more than the end.
    private static let textLimit = 1_500

    init() {}

    init(_ status: ServiceStatus) {
        // “listening” invites to speak.
        let isWaiting = status.state == .recording && !status.hasAudio
        state = isWaiting ? ServiceStatus.State.starting.rawValue : status.state.rawValue
        // Speech is between −60 and 0 decibels.
        level = max(0, min(1, (60 + status.level.value) / 60))
        level = (level * 100).rounded() / 100
        locale = status.locale.identifier
        let all = status.lines.isEmpty ? [ServiceStatus.Line(speaker: nil, text: status.finalText)] : status.lines
        var rest = Self.textLimit
        for line in all.reversed() where rest > 0 && !line.text.isEmpty {
            let text = line.text.count > rest ? "…" + line.text.suffix(rest) : line.text
            lines.insert(ServiceStatus.Line(speaker: line.speaker, text: text), at: 0)
            rest -= text.count
        }
        changingText = String(status.changingText.suffix(Self.textLimit))
        stableText = String(status.stableText.suffix(Self.textLimit))
        problem = status.error?.description ?? status.spoolError?.description ?? status.journalError?.description
        loss = status.loss
    }

    /// The event as a browser reads it.
    var bytes: [UInt8] { Array("data: \(JSONWriter.encode(self))\n\n".utf8) }
}
