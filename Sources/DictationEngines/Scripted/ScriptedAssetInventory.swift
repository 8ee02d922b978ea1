public import DictationCore

/// An inventory whose downloads follow a script, for tests of code that shows models and their progress.
///
///     let inventory = ScriptedAssetInventory([
///         ScriptedAssetInventory.Asset(english, bytesPerSecond: 1_000_000, faults: [.stall(for: .seconds(5), afterBytes: 300_000)])
///     ])
///
/// The inventory reads, writes and sends nothing. It takes its time from the runtime's clock.
public final class ScriptedAssetInventory: ReservingAssetInventory {
    struct Entry {
        var script: ScriptedAssetInventory.Asset
        var status: ModelAsset.Status
        var completedBytes: Int64 = 0
        /// Damage that only a check of the files finds.
        var hasHiddenDamage = false
        var isReserved = false
        /// The number of attempts. Only the latest attempt may change the entry.
        var tries = 0
        var isBusy = false
        var lastError: DictationError?
    }

    struct State {
        var order: [ModelAsset.ID] = []
        var entries: [ModelAsset.ID: Entry] = [:]
        var isOffline = false
    }

    let state: Watched<State>
    let runtime = DictationRuntime.current

    /// Creates an inventory of assets. If two assets have the same identifier, the later asset counts.
    public init(_ assets: [ScriptedAssetInventory.Asset]) {
        var initial = State()
        for script in assets {
            let id = script.asset.id
            if initial.entries[id] == nil { initial.order.append(id) }
            initial.entries[id] = Entry(
                script: script, status: script.isInstalled ? .installed : .supported,
                completedBytes: script.isInstalled ? script.totalBytes : 0)
        }
        state = Watched(initial)
    }

    /// Returns the assets, in the order in which they were passed.
    public func assets() async throws(DictationError) -> [ModelAsset] {
        let state = state.value
        return state.order.compactMap { state.entries[$0]?.script.asset }
    }

    /// Returns the status of an asset.
    public func status(of asset: ModelAsset.ID) async -> ModelAsset.Status {
        state.value.entries[asset]?.status ?? .unsupported
    }

    /// Keeps an asset from being evicted.
    public func reserve(_ asset: ModelAsset.ID) async throws(DictationError) {
        let isKnown = state.change { $0.entries[asset]?.reserve(true) != nil }
        guard isKnown else { throw unknown(asset) }
    }

    /// Lets an asset be evicted again.
    public func release(_ asset: ModelAsset.ID) async { state.change { _ = $0.entries[asset]?.reserve(false) } }

    /// Returns the reserved assets.
    public func reserved() async -> [ModelAsset.ID] {
        let state = state.value
        return state.order.filter { state.entries[$0]?.isReserved ?? false }
    }

    /// Returns a request to install an asset, or `nil` if it is installed.
    public func installation(of asset: ModelAsset.ID) async throws(DictationError) -> (any AssetInstallation)? {
        guard let entry = state.value.entries[asset] else { throw unknown(asset) }
        return entry.status == .installed ? nil : ScriptedInstallation(entry.script.asset, in: self)
    }

    /// Returns the size of the scripted download, and how much of it is done.
    public func download(of asset: ModelAsset.ID) async throws(DictationError) -> ModelAsset.Download {
        guard let entry = state.value.entries[asset] else { throw unknown(asset) }
        return ModelAsset.Download(
            byteCount: entry.script.asset.byteCount, completedByteCount: entry.completedBytes, sources: ["script"],
            trust: entry.script.asset.isPinned ? nil : "you would trust this script.", package: entry.script.package)
    }

    /// Throws for an asset that ``damage(_:isNoticed:)`` damaged, or that is not installed.
    public func verify(_ asset: ModelAsset.ID) async throws(DictationError) {
        state.change { $0.entries[asset]?.noticeDamage() }
        switch state.value.entries[asset]?.status {
        case .installed: return
        case .damaged:
            throw DictationError(
                .modelInvalid, "The files of “\(asset)” are damaged.", recovery: "Install it again.")
        case nil: throw unknown(asset)
        default:
            throw DictationError(.modelNotInstalled, "“\(asset)” is not installed.", recovery: "Install it first.")
        }
    }

    /// Removes an installed asset.
    public func remove(_ asset: ModelAsset.ID) async throws(DictationError) {
        state.change { $0.entries[asset]?.remove() }
    }

    // MARK: Control by a test

    /// Damages the files of an installed asset.
    ///
    /// - Parameters:
    ///   - asset: The asset.
    ///   - isNoticed: Whether the status shows the damage at once, or only after ``verify(_:)``.
    public func damage(_ asset: ModelAsset.ID, isNoticed: Bool = true) {
        state.change { state in
            guard state.entries[asset]?.status == .installed else { return }
            state.entries[asset]?.hasHiddenDamage = true
            if isNoticed { state.entries[asset]?.noticeDamage() }
        }
    }

    /// Removes every installed asset that is not reserved, as on a full disk.
    ///
    /// - Returns: The removed assets.
    @discardableResult
    public func evict() -> [ModelAsset.ID] {
        state.change { state in
            let evicted = state.order.filter {
                state.entries[$0]?.status == .installed && state.entries[$0]?.isReserved == false
            }
            for id in evicted { state.entries[id]?.remove() }
            return evicted
        }
    }

    /// Disconnects or connects the network. Without a network, current and later installations fail.
    public func setOffline(_ isOffline: Bool) { state.change { $0.isOffline = isOffline } }

    private func unknown(_ asset: ModelAsset.ID) -> DictationError {
        let known = state.value.order.joined(separator: ", ")
        return DictationError(
            .unknownModel, "The inventory has no asset “\(asset)”.", recovery: "Choose from: \(known).")
    }
}

extension ScriptedAssetInventory.Entry {
    fileprivate mutating func reserve(_ isReserved: Bool) { self.isReserved = isReserved }

    fileprivate mutating func noticeDamage() {
        guard status == .installed, hasHiddenDamage else { return }
        status = .damaged
        hasHiddenDamage = false
    }

    fileprivate mutating func remove() {
        guard status == .installed || status == .damaged else { return }
        hasHiddenDamage = false
        status = .supported
        completedBytes = 0
    }
}
