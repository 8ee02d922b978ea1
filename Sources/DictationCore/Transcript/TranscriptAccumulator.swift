/// Collects an engine's updates into final results and a tail that may still change.
public struct TranscriptAccumulator: Sendable, Hashable {
    /// The final results that have text, in order.
    public private(set) var finalResults: [SpeechResult] = []
    /// The results that may still change, in order.
    public private(set) var volatileTail: [SpeechResult] = []
    /// The time through which results are final.
    public private(set) var finalizedThrough: Duration = .zero
    /// Whether the engine finished every final result, so that none became final early at a deadline.
    public private(set) var isComplete = true

    /// Creates an empty accumulator.
    public init() {}

    /// Applies an update.
    ///
    /// Final results stay in order and never overlap. A final result that begins before the end of the last one keeps
    /// its text, but its range is cut, possibly to an empty range. Volatile results lie after everything final.
    public mutating func apply(_ update: SpeechUpdate) {
        let update = update.withoutEmptyText
        if let result = update.finalResult, !result.isComplete { isComplete = false }
        switch update {
        case .volatile(let result):
            removeTail(overlapping: result.range)
            let result = result.cut(before: max(lastEnd, finalizedThrough))
            guard !result.range.isEmpty else { return }
            let index = volatileTail.firstIndex { $0.range.lowerBound > result.range.lowerBound }
            volatileTail.insert(result, at: index ?? volatileTail.endIndex)
        case .final(let result):
            append(result)
            // Also replaces a volatile result around a final one whose range is empty, which overlaps nothing.
            let end = lastEnd
            volatileTail.removeAll { $0.range.lowerBound < end }
        case .revoked(let range): removeTail(overlapping: range)
        case .finalized(let time):
            finalizedThrough = max(finalizedThrough, time)
            volatileTail.removeAll { $0.range.upperBound <= finalizedThrough }
        case .interrupted(let interruption):
            guard let lost = interruption.lost else { return }
            finalizedThrough = max(finalizedThrough, lost.upperBound)
            removeTail(overlapping: lost)
        case .voice, .turnEnded: break
        }
    }

    /// Makes the volatile tail final and marks it as incomplete. Call this when no more results can come.
    public mutating func finalizeAsIs() {
        let tail = volatileTail
        volatileTail = []
        for var result in tail {
            result.isComplete = false
            isComplete = false
            append(result)
        }
    }

    private var lastEnd: Duration { finalResults.last?.range.upperBound ?? .zero }

    private mutating func append(_ result: SpeechResult) {
        let result = result.cut(before: lastEnd)
        finalizedThrough = max(finalizedThrough, result.range.upperBound)
        finalResults.append(result)
    }

    private mutating func removeTail(overlapping range: Range<Duration>) {
        volatileTail.removeAll { $0.range.overlaps(range) || $0.range.upperBound <= finalizedThrough }
    }
}

extension SpeechResult {
    /// Returns the result with its range, and the ranges of its words, cut to begin no earlier than `time`.
    func cut(before time: Duration) -> SpeechResult {
        guard range.lowerBound < time else { return self }
        var result = self
        result.range = time..<max(time, range.upperBound)
        for index in result.words.indices {
            result.words[index].range = result.words[index].range?.clamped(to: result.range)
        }
        return result
    }
}
