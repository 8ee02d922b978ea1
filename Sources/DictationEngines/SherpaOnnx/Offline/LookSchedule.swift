/// Says when to recognize the current stretch again for a volatile result.
///
/// Each time the model decodes the whole stretch, so a longer stretch is recognized more rarely. Together this costs
/// about five times as much as recognizing the stretch once.
struct LookSchedule {
    /// The number of samples in the stretch when it was last recognized.
    private var lookedAt = 0

    /// The least number of new samples, and the least share of new samples.
    private static let leastNews = 9_600
    private static let leastNewsShare = 5

    /// Returns whether a stretch with this number of samples is due, and notes that it was recognized.
    mutating func isDue(at count: Int) -> Bool {
        guard count - lookedAt >= max(Self.leastNews, count / Self.leastNewsShare) else { return false }
        lookedAt = count
        return true
    }
}
