public import DictationCore

/// Tries the promises of `AssetInventory` on an inventory.
///
///     let report = try await InventoryConformance(MyInventory(), asset: "small-model").run()
///     print(report)
///
/// The asset is installed and removed several times and is not installed at the end. Its installation should take long
/// enough to be cancelled in the middle: some tenths of a second. An asset of an inventory that does not install is left
/// where it is, damaged when the suite has a `damage`.
public struct InventoryConformance: ConformanceSuite {
    /// The inventory.
    public var inventory: any AssetInventory
    /// The asset that may be installed and removed.
    public var asset: ModelAsset.ID
    /// Whether the inventory can install the asset. An inventory that only finds models has it already.
    public var installs: Bool
    /// An asset whose first installation fails.
    public var failing: ModelAsset.ID?
    /// How long something may take that should happen at once.
    public var responseTimeout: Duration
    /// How long an installation may take.
    public var installationTimeout: Duration
    /// Damages the asset's installed files.
    public var damage: (@Sendable (ModelAsset.ID) async -> Void)?
    /// Evicts whatever may be evicted.
    public var evict: (@Sendable () async -> Void)?
    /// Takes the network away, or gives it back.
    public var setOffline: (@Sendable (Bool) async -> Void)?

    /// Makes a suite for an inventory.
    public init(
        _ inventory: any AssetInventory, asset: ModelAsset.ID, installs: Bool = true, failing: ModelAsset.ID? = nil,
        responseTimeout: Duration = .seconds(5), installationTimeout: Duration = .seconds(60),
        damage: (@Sendable (ModelAsset.ID) async -> Void)? = nil, evict: (@Sendable () async -> Void)? = nil,
        setOffline: (@Sendable (Bool) async -> Void)? = nil
    ) {
        self.inventory = inventory
        self.asset = asset
        self.installs = installs
        self.failing = failing
        self.responseTimeout = responseTimeout
        self.installationTimeout = installationTimeout
        self.damage = damage
        self.evict = evict
        self.setOffline = setOffline
    }

    /// Tries each promise on the inventory.
    public func run() async throws(DictationError) -> ConformanceReport<InventoryClause> {
        let check = InventoryCheck(suite: self, findings: Findings(responseTimeout: responseTimeout))
        try await check.run()
        return check.findings.report(on: "The inventory \(type(of: inventory))")
    }
}
