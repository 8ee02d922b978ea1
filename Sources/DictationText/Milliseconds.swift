import DictationCore

extension Duration {
    /// The nearest number of milliseconds: 0 for a negative duration, and at most a century, so that later sums do not
    /// overflow.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = onTimeline.components
        let century: Int64 = 3_155_760_000
        guard seconds >= 0 else { return 0 }
        guard seconds < century else { return century * 1_000 }
        return max(0, seconds * 1_000 + (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000)
    }
}

/// Returns a number with leading zeros.
func digits(_ number: Int64, count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
}
