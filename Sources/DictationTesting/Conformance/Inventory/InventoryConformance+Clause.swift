extension InventoryConformance {
    /// The promises of `AssetInventory` and `AssetInstallation`.
    public enum Clause: String, ConformanceClause {
        // MARK: Listing

        /// Asset identifiers are unique.
        case assetsAreUnique
        /// An unknown asset is unsupported.
        case unknownIsUnsupported
        /// Installing an unknown asset throws.
        case unknownThrows
        /// The status is right before, during and after an installation.
        case statusIsTruthful
        /// Installing an unpinned asset throws.
        case unpinnedThrows

        // MARK: Installing

        /// A request is for the right asset.
        case requestsAreTruthful
        /// `install()` installs the asset.
        case installInstalls
        /// An incomplete installation is not installed.
        case halfIsNeverInstalled
        /// Progress never decreases.
        case progressOnlyGrows
        /// Progress ends.
        case progressEnds
        /// `cancel()` stops an installation.
        case cancelStops
        /// A later installation resumes.
        case resumesWhereItStopped
        /// Simultaneous requests succeed.
        case requestsGetAlong
        /// A failed installation is not installed.
        case failureIsNotInstalled

        // MARK: Installed assets

        /// `verify(_:)` accepts intact files.
        case verifyAcceptsSound
        /// `verify(_:)` throws without an installation.
        case verifyRefusesMissing
        /// `verify(_:)` finds damage.
        case verifyFindsDamage
        /// Installing again repairs damage.
        case damageIsRepaired
        /// Reserved assets are listed.
        case reservingIsRemembered
        /// Reserved assets stay installed.
        case reservedIsNotEvicted
        /// Installed assets need no network.
        case worksOffline
        /// `remove(_:)` removes the asset.
        case removeRemoves
        /// Every call returns.
        case callsComeBack

        /// The promise in one sentence.
        public var statement: String {
            switch self {
            case .assetsAreUnique: "Each asset has a unique identifier that is not empty."
            case .unknownIsUnsupported: "The status of an unknown asset is unsupported."
            case .unknownThrows:
                "Installing or reserving an unknown asset throws unknownModel, and releasing it does nothing."
            case .statusIsTruthful:
                "The status is supported before an installation, below installed during it, and installed after it."
            case .unpinnedThrows: "Installing an asset that is not pinned throws modelUnpinned."
            case .requestsAreTruthful:
                "installation(of:) returns a request for that asset, or nil when it is installed."
            case .installInstalls: "When install() returns, the asset is installed."
            case .halfIsNeverInstalled: "An incomplete installation never appears as installed."
            case .progressOnlyGrows: "The number of completed bytes never decreases."
            case .progressEnds:
                "The progress ends with the installation, and at the total number of bytes if that is known."
            case .cancelStops: "cancel() makes install() throw cancelled and is harmless at any other time."
            case .resumesWhereItStopped: "An installation after a cancelled one goes on where that one ended."
            case .requestsGetAlong: "Two simultaneous requests for the same asset both succeed."
            case .failureIsNotInstalled: "When install() throws, the asset is not installed and can be requested again."
            case .verifyAcceptsSound: "verify(_:) accepts an asset that was just installed."
            case .verifyRefusesMissing: "verify(_:) throws for an asset that is not installed."
            case .verifyFindsDamage: "verify(_:) throws modelInvalid for damaged files and marks the asset as damaged."
            case .damageIsRepaired: "A damaged asset can be installed again."
            case .reservingIsRemembered: "reserved() contains an asset once, from reserve(_:) to release(_:)."
            case .reservedIsNotEvicted: "A reserved asset is never evicted."
            case .worksOffline: "Status, listing and verification of installed assets need no network."
            case .removeRemoves: "remove(_:) removes an installed asset and does nothing for any other."
            case .callsComeBack: "Every call returns."
            }
        }
    }
}
