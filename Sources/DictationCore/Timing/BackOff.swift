/// The waits between retries: each is twice as long as the one before, up to a longest wait.
public struct BackOff: Sendable, Hashable {
    /// The wait after the first failure.
    public var first: Duration
    /// The longest wait.
    public var longest: Duration

    /// Creates a back-off.
    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// Returns the wait after `count` failures in a row.
    public func delay(afterFailures count: Int) -> Duration {
        let longest = min(.longestWait, longest)
        var delay = max(.zero, first)
        var doublings = count - 1
        while doublings > 0, delay > .zero, delay < longest {
            delay *= 2
            doublings -= 1
        }
        return min(delay, longest)
    }
}
