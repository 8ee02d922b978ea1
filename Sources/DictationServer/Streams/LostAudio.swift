import DictationCore
import DictationText

/// The audio of a live stream that has no text.
struct LostAudio: Sendable {
    private var gaps: [AudioGap] = []
    private var isComplete = true
    private var isBroken = false

    /// Notes what an engine left out.
    ///
    /// - Parameter base: The time at which the session of the engine began.
    mutating func apply(_ update: SpeechUpdate, from base: Duration = .zero) {
        if let result = update.finalResult, !result.isComplete { isComplete = false }
        guard case .interrupted(let interruption) = update, let lost = interruption.lost else { return }
        gaps.append(
            AudioGap(range: lost.lowerBound + base..<lost.upperBound + base, frameCount: 0, cause: .engineFailed))
    }

    /// Notes how a session ended.
    mutating func apply(_ outcome: FinalizationOutcome) { if outcome == .incomplete { isComplete = false } }

    /// Notes that the engine failed.
    mutating func breakOff() { isBroken = true }

    /// What is missing, as a person reads it; `nil` if nothing is.
    var description: String? {
        let broken = isBroken ? "The engine failed before the end, so words are missing." : nil
        let parts = [broken, Transcript(gaps: gaps, isComplete: isComplete).loss].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}
