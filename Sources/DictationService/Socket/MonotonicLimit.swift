import DictationCore

/// A moment until which a call waits.
struct MonotonicLimit {
    private let end: ContinuousClock.Instant

    init(_ limit: Duration) { end = .now + min(limit, .longestWait) }

    /// The time that is left, as `poll` wants it.
    var milliseconds: Int32 {
        let left = (end - .now) / .milliseconds(1)
        return Int32(max(0, min(left.rounded(.up), Double(Int32.max))))
    }
}
