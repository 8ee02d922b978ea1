/// The promises of `AssetInventory` and of its `AssetInstallation`s.
public enum InventoryClause: String, ConformanceClause {
    // MARK: What there is

    /// Assets can be told apart.
    case assetsAreUnique
    /// What isn't known is unsupported.
    case unknownIsUnsupported
    /// What isn't known throws.
    case unknownThrows
    /// The status before, during and after.
    case statusIsTruthful
    /// What isn't pinned isn't installed by itself.
    case unpinnedThrows

    // MARK: Installing

    /// A request is for what was asked.
    case requestsAreTruthful
    /// Installing installs.
    case installInstalls
    /// Half is nothing.
    case halfIsNeverInstalled
    /// Progress goes one way.
    case progressOnlyGrows
    /// Progress ends.
    case progressEnds
    /// Cancelling stops.
    case cancelStops
    /// A later try goes on.
    case resumesWhereItStopped
    /// Two requests get along.
    case requestsGetAlong
    /// A failed installation is no installation.
    case failureIsNotInstalled

    // MARK: What is installed

    /// Sound files are verified.
    case verifyAcceptsSound
    /// Nothing can't be verified.
    case verifyRefusesMissing
    /// Damage is found.
    case verifyFindsDamage
    /// Damage can be repaired.
    case damageIsRepaired
    /// Reserving is remembered.
    case reservingIsRemembered
    /// What is reserved stays.
    case reservedIsNotEvicted
    /// Without a network it works.
    case worksOffline
    /// Removing removes.
    case removeRemoves
    /// Everything comes back.
    case callsComeBack

    /// The promise, in a sentence.
    public var statement: String {
        switch self {
        case .assetsAreUnique: "Each asset has an identifier of its own that is not empty."
        case .unknownIsUnsupported: "The status of an asset that the inventory doesn't know is unsupported."
        case .unknownThrows:
            "Installing or reserving an unknown asset throws unknownModel; releasing one does nothing."
        case .statusIsTruthful:
            "The status is supported before an installation, below installed during it, and installed after it."
        case .unpinnedThrows: "Installing an asset that is not pinned throws modelUnpinned."
        case .requestsAreTruthful: "There is a request for what isn't installed, for that asset, and none for what is."
        case .installInstalls: "When install() returns, the asset is installed."
        case .halfIsNeverInstalled: "What is half-installed is never seen as installed."
        case .progressOnlyGrows: "The part done of an installation never goes back."
        case .progressEnds: "The progress ends with the installation; where the whole is known, it gets there."
        case .cancelStops: "cancel() makes install() throw cancelled, and is harmless at any other time."
        case .resumesWhereItStopped: "A try after a cancelled one goes on where that one ended."
        case .requestsGetAlong: "Two requests for the same asset at once both succeed."
        case .failureIsNotInstalled: "When install() throws, the asset is not installed, and can be tried again."
        case .verifyAcceptsSound: "verify(_:) accepts what was just installed."
        case .verifyRefusesMissing: "verify(_:) throws for what isn't installed."
        case .verifyFindsDamage: "Damaged files make verify(_:) throw modelInvalid, and are marked as damaged."
        case .damageIsRepaired: "A damaged asset can be installed again."
        case .reservingIsRemembered: "An asset is in reserved() from reserve(_:) to release(_:), once."
        case .reservedIsNotEvicted: "A reserved asset is never evicted."
        case .worksOffline: "Everything on what is installed works without a network."
        case .removeRemoves: "remove(_:) removes; removing what isn't installed does nothing."
        case .callsComeBack: "Every call comes back."
        }
    }
}
