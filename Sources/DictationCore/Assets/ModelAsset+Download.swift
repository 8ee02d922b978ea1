extension ModelAsset {
    /// What the installation of an asset would download.
    public struct Download: Sendable, Hashable {
        /// The size of the download in bytes; `nil` if unknown.
        public var byteCount: Int64?
        /// The number of bytes that an interrupted installation has already downloaded.
        public var completedByteCount: Int64
        /// The names of the servers, such as `github.com`.
        public var sources: [String]
        /// Whom the user would trust, as the end of a sentence. `nil` if the files have known hashes.
        public var trust: String?
        /// The system package to install first; `nil` if none is missing. Without ``sources``, the package contains the
        /// asset.
        public var package: String?

        /// Creates a description of a download.
        public init(
            byteCount: Int64? = nil, completedByteCount: Int64 = 0, sources: [String] = [], trust: String? = nil,
            package: String? = nil
        ) {
            self.byteCount = byteCount
            self.completedByteCount = completedByteCount
            self.sources = sources
            self.trust = trust
            self.package = package
        }

        /// The number of bytes that are still to download; `nil` if unknown.
        public var remainingByteCount: Int64? { byteCount.map { max(0, $0 - max(0, completedByteCount)) } }
    }
}
