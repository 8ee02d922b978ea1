/// How a download deals with a slow or failing network.
public struct DownloadOptions: Sendable, Hashable {
    /// How often a download is tried again.
    public var retry = RetryPolicy()
    /// How long a download may be slower than ``minimumBytesPerStallTimeout`` before it is tried again.
    public var stallTimeout: Duration = .seconds(30)
    /// The bytes that have to arrive within each ``stallTimeout``.
    public var minimumBytesPerStallTimeout: Int64 = 4_096

    /// Makes the default options.
    public init() {}
}
