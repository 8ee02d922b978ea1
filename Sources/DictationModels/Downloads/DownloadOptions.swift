public import DictationCore

/// The reaction of a download to a slow or failing network.
public struct DownloadOptions: Sendable, Hashable {
    /// The number of rounds over all mirrors without new bytes after which the download fails.
    public var maximumRounds = 6
    /// The wait after each such round.
    public var backOff = BackOff(first: .seconds(1), longest: .seconds(60))
    /// The time in which ``minimumBytesPerStallTimeout`` bytes must arrive. Otherwise the download starts another
    /// transfer.
    public var stallTimeout: Duration = .seconds(30)
    /// The number of bytes that must arrive within each ``stallTimeout``.
    public var minimumBytesPerStallTimeout: Int64 = 4_096

    /// Creates the default options.
    public init() {}
}
