/// A request to install an asset.
public protocol AssetInstallation: Sendable {
    /// The asset.
    var asset: ModelAsset { get }
    /// How far it is. A slow reader sees the newest value. The sequence ends with the installation.
    var progress: InstallationProgressUpdates { get }
    /// Installs the asset, and returns when it can be used. Resumes an earlier download.
    func install() async throws(DictationError)
    /// Stops: `install()` throws `cancelled`. What was downloaded is kept for the next try.
    func cancel() async
}

/// How far an installation is.
public struct InstallationProgress: Sendable, Hashable {
    /// Bytes done.
    public var completedBytes: Int64
    /// Bytes in all, where that is known.
    public var totalBytes: Int64?
    /// Bytes per second over the last moments.
    public var bytesPerSecond: Double?

    /// Makes a progress value.
    public init(completedBytes: Int64, totalBytes: Int64? = nil, bytesPerSecond: Double? = nil) {
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
    }

    /// The part done, 0 to 1, where the whole is known.
    public var fraction: Double? {
        guard let totalBytes, totalBytes > 0 else { return nil }
        return max(0, min(1, Double(completedBytes) / Double(totalBytes)))
    }

    /// The time left at the present rate.
    public var remaining: Duration? {
        guard let totalBytes, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        let seconds = max(0, Double(totalBytes) - Double(completedBytes)) / bytesPerSecond
        return seconds < 1e9 ? .seconds(seconds) : nil
    }
}
