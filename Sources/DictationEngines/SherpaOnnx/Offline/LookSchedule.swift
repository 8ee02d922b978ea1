import DictationCore

/// Says when to recognize the current stretch again for a volatile result.
///
/// Each time the model decodes the whole stretch, so a longer stretch is recognized more rarely. Together this costs
/// about five times as much as recognizing the stretch once. A slow model looks even more rarely, so that it has half of
/// the time for the final text.
struct LookSchedule {
    /// The number of samples in the stretch when it was last recognized.
    private var lookedAt = 0
    /// The number of samples that were said while it was recognized.
    private var cost = 0

    /// The least number of new samples, and the least share of new samples.
    private static let leastNews = 9_600
    private static let leastNewsShare = 5

    /// Returns whether a stretch with this number of samples is due, and notes that it was recognized.
    mutating func isDue(at count: Int) -> Bool {
        guard count - lookedAt >= max(Self.leastNews, count / Self.leastNewsShare, 2 * cost) else { return false }
        lookedAt = count
        return true
    }

    /// Notes how long the model took to recognize a stretch.
    mutating func note(_ time: Duration) { cost = Int(clamping: AudioFormat.speech.frames(in: time)) }
}
