public import DictationCore

extension ScriptedAssetInventory {
    /// An asset of a ``ScriptedAssetInventory``, with a script for its download.
    public struct Asset: Sendable, Hashable {
        /// The asset. Its download has its `byteCount`, or a million bytes if `byteCount` is `nil`.
        public var asset: ModelAsset
        /// The speed of the download on the runtime's clock; `nil` for a download that takes no time.
        public var bytesPerSecond: Int64?
        /// The faults of the download. Each fault happens once, and a later attempt continues after it.
        public var faults: [Fault]
        /// Whether the asset is installed from the beginning.
        public var isInstalled: Bool
        /// The system package that the installation needs first; `nil` for none.
        public var package: String?

        /// Creates a scripted asset.
        public init(
            _ asset: ModelAsset, bytesPerSecond: Int64? = nil, faults: [Fault] = [], isInstalled: Bool = false,
            package: String? = nil
        ) {
            self.asset = asset
            self.package = package
            self.bytesPerSecond = bytesPerSecond
            self.faults = faults
            self.isInstalled = isInstalled
        }

        /// A fault that happens after a number of downloaded bytes.
        public enum Fault: Sendable, Hashable {
            /// The attempt fails. The downloaded bytes are kept.
            case failure(DictationError, afterBytes: Int64)
            /// No bytes arrive for a time; with `nil`, until the attempt is cancelled.
            case stall(for: Duration?, afterBytes: Int64)

            var position: Int64 {
                switch self {
                case .failure(_, let position), .stall(_, let position): position
                }
            }
        }

        var totalBytes: Int64 { max(0, asset.byteCount ?? 1_000_000) }
    }
}
