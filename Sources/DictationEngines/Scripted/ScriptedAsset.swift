public import DictationCore

/// An asset of a `ScriptedAssetInventory`, and how its download goes.
public struct ScriptedAsset: Sendable, Hashable {
    /// The asset; what is downloaded is its `byteCount`, or a million bytes where that is not said.
    public var asset: ModelAsset
    /// How fast it comes, on the runtime's clock; `nil` is at once.
    public var bytesPerSecond: Int64?
    /// What goes wrong on the way. Each fault happens once; a later try goes on behind it.
    public var faults: [Fault]
    /// Whether it is installed from the beginning.
    public var isInstalled: Bool

    /// Makes an asset.
    public init(_ asset: ModelAsset, bytesPerSecond: Int64? = nil, faults: [Fault] = [], isInstalled: Bool = false) {
        self.asset = asset
        self.bytesPerSecond = bytesPerSecond
        self.faults = faults
        self.isInstalled = isInstalled
    }

    /// Something that goes wrong when a number of bytes was downloaded.
    public enum Fault: Sendable, Hashable {
        /// The try fails; what was downloaded is kept.
        case failure(DictationError, afterBytes: Int64)
        /// Nothing comes for a time; `nil` is until the try is cancelled.
        case stall(for: Duration?, afterBytes: Int64)

        var position: Int64 {
            switch self {
            case .failure(_, let position), .stall(_, let position): position
            }
        }
    }

    var totalBytes: Int64 { max(0, asset.byteCount ?? 1_000_000) }
}
