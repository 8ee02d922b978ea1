/// A request to install an asset.
public protocol AssetInstallation: Sendable {
    /// The asset.
    var asset: ModelAsset { get }
    /// The progress. A slow reader sees the newest value. The sequence ends with the installation.
    var progress: ModelAsset.Progress.Updates { get }
    /// Installs the asset and returns when engines can use it. Resumes an earlier download.
    ///
    /// - Throws: ``DictationError/Code/cancelled`` after ``cancel()``, or the error that stopped the installation.
    func install() async throws(DictationError)
    /// Stops the installation. ``install()`` throws ``DictationError/Code/cancelled``. The next one resumes the
    /// download.
    func cancel() async
}
