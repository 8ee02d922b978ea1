/// How often a download is tried again, and how long is waited in between.
public struct RetryPolicy: Sendable, Hashable {
    /// How often every mirror may fail in a row, with nothing new coming in, before the download is given up.
    public var rounds: Int
    /// The wait after the first round; each further one is twice as long.
    public var firstDelay: Duration
    /// The longest wait.
    public var longestDelay: Duration

    /// Makes a policy.
    public init(rounds: Int = 6, firstDelay: Duration = .seconds(1), longestDelay: Duration = .seconds(60)) {
        self.rounds = max(1, rounds)
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
    }
}
