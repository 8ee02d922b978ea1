public import DictationCore

/// How a download deals with a slow or failing network.
public struct DownloadOptions: Sendable, Hashable {
    /// How often every mirror may fail in a row, with nothing new coming in, before the download fails.
    public var maximumRounds = 6
    /// How long to wait after each such round.
    public var backOff = BackOff(first: .seconds(1), longest: .seconds(60))
    /// How long a download may be slower than ``minimumBytesPerStallTimeout`` before it is tried again.
    public var stallTimeout: Duration = .seconds(30)
    /// The bytes that have to arrive within each ``stallTimeout``.
    public var minimumBytesPerStallTimeout: Int64 = 4_096

    /// Makes the default options.
    public init() {}
}
