/// A request to install an asset.
public protocol AssetInstallation: Sendable {
    /// The asset.
    var asset: ModelAsset { get }
    /// The progress. A slow reader sees the newest value. The sequence ends with the installation.
    var progress: InstallationProgress.Updates { get }
    /// Installs the asset and returns when engines can use it. Resumes an earlier download.
    ///
    /// - Throws: ``DictationError/Code/cancelled`` after ``cancel()``, or the error that stopped the installation.
    func install() async throws(DictationError)
    /// Stops the installation. ``install()`` throws ``DictationError/Code/cancelled``. The next one resumes the
    /// download.
    func cancel() async
}

/// The progress of an installation.
public struct InstallationProgress: Sendable, Hashable {
    /// The number of bytes done.
    public var completedBytes: Int64
    /// The total number of bytes; `nil` if unknown.
    public var totalBytes: Int64?
    /// The recent rate in bytes per second; `nil` if unknown.
    public var bytesPerSecond: Double?

    /// Creates a progress value.
    public init(completedBytes: Int64, totalBytes: Int64? = nil, bytesPerSecond: Double? = nil) {
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
    }

    /// The fraction done, from 0 to 1; `nil` if the total is unknown.
    public var fraction: Double? {
        guard let totalBytes, totalBytes > 0 else { return nil }
        return max(0, min(1, Double(completedBytes) / Double(totalBytes)))
    }

    /// The time left at the recent rate; `nil` if unknown.
    public var remaining: Duration? {
        guard let totalBytes, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        let seconds = max(0, Double(totalBytes) - Double(completedBytes)) / bytesPerSecond
        return seconds < 1e9 ? .seconds(seconds) : nil
    }
}
