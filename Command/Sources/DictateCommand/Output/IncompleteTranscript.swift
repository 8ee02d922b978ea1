import DictationCore
import DictationText

extension Transcript {
    /// What is missing from a transcript, and what its user can do; `nil` if nothing is.
    var complaint: String? {
        guard let loss else { return nil }
        let isSlow = gaps.contains { $0.cause == .engineBehind } || (!isComplete && gaps.isEmpty)
        return isSlow ? loss + " Choose a quicker engine with --engine." : loss
    }
}

extension ExitCode {
    /// The exit code for a transcript without an error. A recording that gave no text at all has failed.
    init(_ transcript: Transcript) {
        self = transcript.isComplete ? .done : transcript.isEmpty ? .someFailed : .audioMissing
    }

    /// Adds the result of another recording. A failure outweighs missing audio.
    mutating func add(_ other: ExitCode) {
        if self == .done || other == .someFailed { self = other }
    }
}
