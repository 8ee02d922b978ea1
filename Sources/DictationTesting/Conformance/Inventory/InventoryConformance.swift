public import DictationCore

/// Tries the promises of `AssetInventory` on an inventory.
///
///     let report = try await InventoryConformance(MyInventory(), asset: "small-model").run()
///     print(report)
///
/// The suite installs and removes the asset several times, and leaves it removed. The installation should take some
/// tenths of a second, so that the suite can cancel it in the middle. If ``installs`` is `false`, the asset stays in
/// its place, but ``damage`` damages it.
public struct InventoryConformance: ConformanceSuite {
    /// The inventory to test.
    public var inventory: any AssetInventory
    /// The asset that the suite may install and remove.
    public var asset: ModelAsset.ID
    /// Whether the inventory can install the asset. Pass `false` for an inventory that only finds installed models.
    public var installs: Bool
    /// An asset whose first installation fails.
    public var failing: ModelAsset.ID?
    /// The time limit for everything that should happen at once.
    public var responseTimeout: Duration
    /// The time limit for an installation.
    public var installationTimeout: Duration
    /// Damages the asset's installed files.
    public var damage: (@Sendable (ModelAsset.ID) async -> Void)?
    /// Evicts every asset that may be evicted.
    public var evict: (@Sendable () async -> Void)?
    /// Disconnects the network for `true`, and connects it for `false`.
    public var setOffline: (@Sendable (Bool) async -> Void)?

    /// Creates a suite for an inventory.
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
    public func run() async throws(DictationError) -> ConformanceReport<InventoryConformance.Clause> {
        let check = InventoryCheck(suite: self, findings: Findings(responseTimeout: responseTimeout))
        try await check.run()
        return check.findings.report(on: "The inventory \(type(of: inventory))")
    }
}
