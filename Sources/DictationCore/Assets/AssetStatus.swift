/// How far an asset is, from unknown to ready.
@nonexhaustive public enum AssetStatus: String, Sendable, Hashable, CaseIterable, Codable {
    /// The inventory doesn't know it.
    case unsupported
    /// It can be installed.
    case supported
    /// It was installed, and its files have changed since.
    case damaged
    /// It is being downloaded or installed.
    case downloading
    /// Its download waits before it tries again.
    case stalled
    /// It can be used.
    case installed
}

extension AssetStatus: Comparable {
    /// Sorts from least to most usable, which is the order of the cases.
    public static func < (one: AssetStatus, other: AssetStatus) -> Bool { one.rank < other.rank }

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
