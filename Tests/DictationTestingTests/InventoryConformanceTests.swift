import DictationCore
import DictationEngines
import DictationTesting
import Testing

@Suite struct InventoryConformanceTests {
    @Test func aSoundInventoryConforms() async throws {
        let report = try await VirtualTime.run { _ in await expectConformance(of: suite(SpecimenInventory())) }
        #expect(report?.unchecked.isEmpty == true)
    }

    @Test func aSoundInventoryConformsInRealTime() async {
        await expectConformance(of: suite(SpecimenInventory()))
    }

    @Test(arguments: InventoryConformance.Clause.allCases) func aBrokenPromiseIsNamed(
        clause: InventoryConformance.Clause
    ) async throws {
        let report = try await VirtualTime.run { _ in try await suite(SpecimenInventory(clause)).run() }
        #expect(report.broken.contains(clause), "\(report)")
    }

    @Test func theScriptedInventoryConforms() async throws {
        let report = try await VirtualTime.run { _ in
            let failure = DictationError(.installationFailed, "The network is gone.")
            let inventory = ScriptedAssetInventory([
                ScriptedAssetInventory.Asset(asset("good"), bytesPerSecond: 1_000_000),
                ScriptedAssetInventory.Asset(asset("failing"), faults: [.failure(failure, afterBytes: 500_000)]),
            ])
            return await expectConformance(
                of: InventoryConformance(
                    inventory, asset: "good", failing: "failing", damage: { inventory.damage($0) },
                    evict: { inventory.evict() }, setOffline: { inventory.setOffline($0) }))
        }
        #expect(report?.unchecked.keys.sorted { $0.rawValue < $1.rawValue } == [.unpinnedThrows])
    }

    @Test func anInventoryThatEvictsNothingIsNotAskedToReserve() async throws {
        let report = try await VirtualTime.run { _ in
            let inventory = SpecimenInventory()
            var suite = suite(inventory)
            suite.inventory = PlainInventory(inventory: inventory)
            return try await suite.run()
        }
        #expect(report.conforms, "\(report)")
        #expect(Set(report.unchecked.keys) == [.reservingIsRemembered, .reservedIsNotEvicted])
    }

    @Test func anAssetThatIsNotThereIsNoTest() async {
        await #expect { try await InventoryConformance(SpecimenInventory(), asset: "none").run() } throws: {
            ($0 as? DictationError)?.code == .invalidInput
        }
    }

    private func asset(_ id: ModelAsset.ID) -> ModelAsset {
        ModelAsset(id: id, engine: "scripted", locales: ["en-US"], name: id)
    }

    private func suite(_ inventory: SpecimenInventory) -> InventoryConformance {
        InventoryConformance(
            inventory, asset: "good", failing: "failing", damage: { inventory.damage($0) },
            evict: { inventory.evict() },
            setOffline: { isOffline in inventory.state.change { $0.isOffline = isOffline } })
    }
}

/// An inventory without reservations.
private struct PlainInventory: AssetInventory {
    let inventory: SpecimenInventory

    func assets() async throws(DictationError) -> [ModelAsset] { try await inventory.assets() }
    func status(of asset: ModelAsset.ID) async -> ModelAsset.Status { await inventory.status(of: asset) }
    func installation(of asset: ModelAsset.ID) async throws(DictationError) -> (any AssetInstallation)? {
        try await inventory.installation(of: asset)
    }
    func verify(_ asset: ModelAsset.ID) async throws(DictationError) { try await inventory.verify(asset) }
    func remove(_ asset: ModelAsset.ID) async throws(DictationError) { try await inventory.remove(asset) }
}
