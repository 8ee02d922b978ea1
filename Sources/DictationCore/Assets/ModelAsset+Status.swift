extension ModelAsset {
    /// The status of an asset, from unknown to installed.
    @nonexhaustive public enum Status: String, Sendable, Hashable, CaseIterable, Codable {
        /// The inventory doesn't know the asset.
        case unsupported
        /// The asset can be installed.
        case supported
        /// The asset was installed, and its files have changed since.
        case damaged
        /// The asset is being downloaded or installed.
        case downloading
        /// The download waits before it tries again.
        case stalled
        /// The asset is ready to use.
        case installed
    }
}

extension ModelAsset.Status: Comparable {
    /// Sorts from least to most usable, in the order of the cases.
    public static func < (one: ModelAsset.Status, other: ModelAsset.Status) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .unsupported: 0
        case .supported: 1
        case .damaged: 2
        case .downloading: 3
        case .stalled: 4
        case .installed: 5
        }
    }
}
