import DictationCore

/// Adds up how long nobody spoke, in a text as it was recognized.
///
/// So the pause between two pieces stays the same if a processor removes what was said between them.
struct SilenceMeter: Sendable {
    private var end: Duration?
    private var total = Duration.zero

    /// Returns how long nobody spoke from the beginning of the text to its next piece.
    mutating func next(_ range: Range<Duration>) -> Duration {
        let (lower, upper) = (range.lowerBound.onTimeline, range.upperBound.onTimeline)
        if let end { total += max(.zero, lower - end) }
        end = max(end ?? upper, upper)
        return total
    }
}

extension TextPiece {
    /// Returns how long nobody spoke between a piece and this one.
    func pause(after last: TextPiece) -> Duration {
        if let silence, let before = last.silence { return silence.lowerBound - before.upperBound }
        return range.lowerBound.onTimeline - last.range.upperBound.onTimeline
    }
}
