/// Puts an engine's results together: what is final, and the tail that may still change.
public struct TranscriptAccumulator: Sendable, Hashable {
    /// The final results that have text, in order.
    public private(set) var finalized: [SpeechResult] = []
    /// The results that may still change, in order.
    public private(set) var volatileTail: [SpeechResult] = []
    /// The time through which results are final.
    public private(set) var finalizedThrough: Duration = .zero
    /// Whether every final result was the engine's last word, rather than the best at a deadline.
    public private(set) var isComplete = true

    /// Makes an empty accumulator.
    public init() {}

    /// Takes a result in.
    public mutating func apply(_ result: SpeechResult) {
        finalizedThrough = max(finalizedThrough, result.finalizedThrough)
        volatileTail.removeAll { $0.range.overlaps(result.range) || $0.range.upperBound <= finalizedThrough }
        switch result.status {
        case .final:
            if !result.text.isEmpty { finalized.append(result) }
            if result.isIncomplete { isComplete = false }
        case .volatile where !result.text.isEmpty && !result.range.isEmpty:
            let index = volatileTail.firstIndex { $0.range.lowerBound > result.range.lowerBound }
            volatileTail.insert(result, at: index ?? volatileTail.endIndex)
        case .volatile, .revoked: break
        }
    }

    /// Makes the volatile tail final, marked incomplete, when no more results can come.
    public mutating func finalizeAsIs() {
        if !volatileTail.isEmpty { isComplete = false }
        for var result in volatileTail {
            result.status = .final
            result.isIncomplete = true
            result.finalizedThrough = max(finalizedThrough, result.range.upperBound)
            finalizedThrough = result.finalizedThrough
            finalized.append(result)
        }
        volatileTail = []
    }
}
