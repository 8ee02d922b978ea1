import DictationCore
import DictationTesting

/// A sound inventory of three assets, or one that breaks the promise it is told to break.
final class SpecimenInventory: ReservingAssetInventory {
    struct State: Sendable {
        var statuses: [ModelAsset.ID: ModelAsset.Status] = [
            "good": .supported, "failing": .supported, "loose": .supported,
        ]
        var bytes: [ModelAsset.ID: Int64] = [:]
        var busy: Set<ModelAsset.ID> = []
        var reserved: [ModelAsset.ID] = []
        var isOffline = false
    }

    static let totalBytes: Int64 = 1_000
    let fault: InventoryConformance.Clause?
    let state = Watched(State())
    let runtime = DictationRuntime.current

    init(_ fault: InventoryConformance.Clause? = nil) { self.fault = fault }

    func assets() async throws(DictationError) -> [ModelAsset] {
        let ids = ["good", "failing", "loose"] + (fault == .assetsAreUnique ? ["good"] : [])
        return ids.map(asset)
    }

    private func asset(_ id: ModelAsset.ID) -> ModelAsset {
        ModelAsset(
            id: id, engine: "specimen", locales: ["en-US"], name: id, byteCount: Self.totalBytes,
            isPinned: id != "loose")
    }

    func status(of asset: ModelAsset.ID) async -> ModelAsset.Status {
        let status = state.value.statuses[asset]
        switch fault {
        case .unknownIsUnsupported where status == nil: return .supported
        case .statusIsTruthful where status == .downloading: return .supported
        case .halfIsNeverInstalled where status == .stalled: return .installed
        case .worksOffline where state.value.isOffline: return .unsupported
        case .callsComeBack:
            if status == nil { try? await runtime.sleep(.seconds(1_000_000)) }
        default: break
        }
        return status ?? .unsupported
    }

    func reserve(_ asset: ModelAsset.ID) async throws(DictationError) {
        guard state.value.statuses[asset] != nil || fault == .unknownThrows else { throw unknown(asset) }
        state.change { state in
            if fault == .reservingIsRemembered || !state.reserved.contains(asset) { state.reserved.append(asset) }
        }
    }

    func release(_ asset: ModelAsset.ID) async { state.change { $0.reserved.removeAll { $0 == asset } } }
    func reserved() async -> [ModelAsset.ID] { state.value.reserved }

    func installation(of asset: ModelAsset.ID) async throws(DictationError) -> (any AssetInstallation)? {
        guard let status = state.value.statuses[asset] else { throw unknown(asset) }
        if asset == "loose", fault != .unpinnedThrows {
            throw DictationError(.modelUnpinned, "Nothing says what “\(asset)” must be.")
        }
        if status == .installed, fault != .requestsAreTruthful { return nil }
        return SpecimenInstallation(self.asset(asset), in: self)
    }

    func verify(_ asset: ModelAsset.ID) async throws(DictationError) {
        switch state.value.statuses[asset] {
        case .installed where fault == .verifyAcceptsSound: throw DictationError(.modelInvalid, "Too strict.")
        case .installed: return
        case .damaged where fault == .verifyFindsDamage: return
        case .damaged: throw DictationError(.modelInvalid, "“\(asset)” is damaged.")
        default:
            if fault == .verifyRefusesMissing { return }
            throw DictationError(.modelNotInstalled, "“\(asset)” is not installed.")
        }
    }

    func remove(_ asset: ModelAsset.ID) async throws(DictationError) {
        state.change { state in
            guard state.statuses[asset] != nil, fault != .removeRemoves else { return }
            state.statuses[asset] = .supported
            state.bytes[asset] = 0
        }
    }

    // MARK: What the suite does to it

    func damage(_ asset: ModelAsset.ID) { state.change { $0.statuses[asset] = .damaged } }

    func evict() {
        state.change { state in
            for (id, status) in state.statuses where status == .installed {
                if fault == .reservedIsNotEvicted || !state.reserved.contains(id) { state.statuses[id] = .supported }
            }
        }
    }

    private func unknown(_ asset: ModelAsset.ID) -> DictationError {
        DictationError(.unknownModel, "There is no “\(asset)”.")
    }
}

private final class SpecimenInstallation: AssetInstallation {
    let asset: ModelAsset
    let progress: ModelAsset.Progress.Updates
    private let continuation: ModelAsset.Progress.Updates.Continuation
    private let inventory: SpecimenInventory
    private let isCancelled = Watched(false)

    init(_ asset: ModelAsset, in inventory: SpecimenInventory) {
        self.asset =
            inventory.fault == .requestsAreTruthful ? ModelAsset(id: "x", engine: "", locales: [], name: "") : asset
        self.inventory = inventory
        id = asset.id
        (progress, continuation) = ModelAsset.Progress.Updates.makeStream()
    }

    private let id: ModelAsset.ID

    func cancel() async { isCancelled.change { $0 = inventory.fault != .cancelStops } }

    func install() async throws(DictationError) {
        let fault = inventory.fault
        defer { if fault != .progressEnds { continuation.finish() } }
        isCancelled.change { $0 = false }
        let isMine = inventory.state.change { state in
            let wasDamaged = state.statuses[id] == .damaged
            if wasDamaged { state.bytes[id] = 0 }
            guard state.statuses[id] != .installed, state.busy.insert(id).inserted else { return false }
            state.statuses[id] = .downloading
            return true
        }
        guard isMine else {
            if fault == .requestsGetAlong { throw DictationError(.alreadyRunning, "It is installing.") }
            let id = id
            _ = await inventory.state.first { $0.busy.contains(id) ? nil : true }
            return
        }
        if fault == .resumesWhereItStopped { inventory.state.change { $0.bytes[id] = 0 } }
        do throws(DictationError) {
            try await download()
        } catch {
            leave(fault == .failureIsNotInstalled && id == "failing" ? .installed : .stalled)
            throw error
        }
        let isRepair = fault == .damageIsRepaired && inventory.state.value.bytes["damages"] == 1
        leave(fault == .installInstalls ? .supported : isRepair ? .damaged : .installed)
        inventory.state.change { $0.bytes["damages"] = 1 }
    }

    private func leave(_ status: ModelAsset.Status) {
        inventory.state.change { state in
            state.statuses[id] = status
            state.busy.remove(id)
        }
    }

    private func download() async throws(DictationError) {
        while true {
            let done = inventory.state.value.bytes[id] ?? 0
            let shown = inventory.fault == .progressOnlyGrows && done == 600 ? 100 : done
            continuation.yield(ModelAsset.Progress(completedBytes: shown, totalBytes: SpecimenInventory.totalBytes))
            if done >= SpecimenInventory.totalBytes { return }
            if id == "failing", done == 500 { throw DictationError(.installationFailed, "The network is gone.") }
            if isCancelled.value { throw DictationError(.cancelled, "It was cancelled.") }
            try? await inventory.runtime.sleep(.milliseconds(10))
            inventory.state.change { $0.bytes[id] = done + 100 }
        }
    }
}
