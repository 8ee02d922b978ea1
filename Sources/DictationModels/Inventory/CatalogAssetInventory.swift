#if ModelCatalog
public import DictationCore
import DictationFiles
import Synchronization

/// Models from catalogues: downloaded, checked, unpacked and put in place, and then found without a network.
///
/// - **Choose** it in an app that lets its users fetch models. An engine that only looks for installed ones needs no
///   more than `ModelStore`.
/// - **Use** `assets()`, `installation(of:)` and its progress; add catalogues with `addCatalog(_:trusting:)`.
/// - **Test** an app with `ScriptedAssetInventory` in its place.
///
/// A model that no catalogue gives hashes for is not pinned; `installation(of:)` throws `modelUnpinned` for it, and
/// `installation(of:allowingUnpinned:)` is how a user says that it may be installed all the same. Its hashes are
/// recorded then, and every later installation has to fit them.
public final class CatalogAssetInventory: ReservingAssetInventory {
    /// Where models are installed.
    public let store: ModelStore
    let given: [ModelCatalog]
    let validators: [EngineID: ModelValidator]
    let sizeLimit: Int64?
    let downloads: DownloadOptions
    let transport: any ModelTransport
    let runtime: DictationRuntime
    let work: BlockingWork
    private let jobs = Mutex<[ModelAsset.ID: InstallationJob]>([:])

    /// Makes an inventory.
    ///
    /// - Parameters:
    ///   - store: Where models are installed.
    ///   - catalogs: The catalogues that the app brings, besides those that are added.
    ///   - validators: The engines' own checks. A model of an engine without one counts as installed once its files
    ///     are those that the catalogue names.
    ///   - sizeLimit: The most bytes that installed models may take. With `nil` no model is ever evicted.
    ///   - downloads: How downloads deal with a slow or failing network.
    public convenience init(
        store: ModelStore = .standard, catalogs: [ModelCatalog] = [.builtIn], validators: [EngineID: ModelValidator],
        sizeLimit: Int64? = nil, downloads: DownloadOptions = DownloadOptions()
    ) {
        self.init(
            store: store, catalogs: catalogs, validators: validators, sizeLimit: sizeLimit, downloads: downloads,
            transport: CurlTransport())
    }

    init(
        store: ModelStore, catalogs: [ModelCatalog], validators: [EngineID: ModelValidator] = [:],
        sizeLimit: Int64? = nil, downloads: DownloadOptions, transport: any ModelTransport
    ) {
        self.store = store
        given = catalogs
        self.validators = validators
        self.sizeLimit = sizeLimit
        self.downloads = downloads
        self.transport = transport
        runtime = .current
        work = BlockingWork("model store", runtime: runtime)
    }

    /// Every model of the catalogues, and those that are installed and in no catalogue any more.
    public func assets() async throws(DictationError) -> [ModelAsset] {
        let (store, given) = (store, given)
        return try await work.run { () throws(DictationError) in
            let catalogs = store.catalogs(besides: given)
            var assets: [ModelAsset] = []
            var seen: Set<ModelAsset.ID> = []
            for model in catalogs.flatMap(\.models) where seen.insert(model.id).inserted {
                var asset = model.asset
                if let name = FileName(model: model.id), try store.recordedHashes(of: name) != nil {
                    asset.isPinned = true
                }
                assets.append(asset)
            }
            for model in store.installed(catalogs: []) where seen.insert(model.asset.id).inserted {
                assets.append(model.asset)
            }
            return assets
        }
    }

    /// How far a model is; another process that is at it counts too.
    public func status(of asset: ModelAsset.ID) async -> AssetStatus {
        let job = jobs.withLock { $0[asset] }
        let (store, given) = (store, given)
        let status = try? await work.run { () throws(DictationError) -> AssetStatus in
            let catalogs = store.catalogs(besides: given)
            let installed = store.installed(asset, catalogs: catalogs)
            if installed.contains(where: { !store.isDamaged($0) }) { return .installed }
            if let job { return job.status }
            if let name = FileName(model: asset), store.isLocked(name) { return .downloading }
            if !installed.isEmpty { return .damaged }
            return catalogs.contains { $0.models.contains { $0.id == asset } } ? .supported : .unsupported
        }
        return status ?? .unsupported
    }

    /// Where a model is, when it is installed and shows no damage; it counts as used now.
    public func installedModel(_ asset: ModelAsset.ID) async throws(DictationError) -> InstalledModel? {
        let (store, given) = (store, given)
        return try await work.run { () throws(DictationError) in
            let found = store.installed(asset, catalogs: store.catalogs(besides: given))
            guard let model = found.first(where: { !store.isDamaged($0) }) else { return nil }
            store.markUsed(model)
            return model
        }
    }

    /// Keeps a model from being evicted, in later runs too.
    public func reserve(_ asset: ModelAsset.ID) async throws(DictationError) {
        let (store, given) = (store, given)
        try await work.run { () throws(DictationError) in
            _ = try store.known(asset, catalogs: store.catalogs(besides: given))
            try store.setReserved(asset, true)
        }
    }

    /// Lets a model be evicted again.
    public func release(_ asset: ModelAsset.ID) async {
        let store = store
        try? await work.run { () throws(DictationError) in
            try store.setReserved(asset, false)
        }
    }

    /// The models that are reserved.
    public func reserved() async -> [ModelAsset.ID] {
        let store = store
        return (try? await work.run { store.reserved }) ?? []
    }

    /// A request to install a model, or `nil` when it is installed already.
    public func installation(of asset: ModelAsset.ID) async throws(DictationError) -> (any AssetInstallation)? {
        try await installation(of: asset, allowingUnpinned: false)
    }

    /// A request to install a model, also one that no catalogue gives hashes for.
    public func installation(
        of asset: ModelAsset.ID, allowingUnpinned: Bool
    ) async throws(DictationError) -> (any AssetInstallation)? {
        let (store, given) = (store, given)
        let model = try await work.run { () throws(DictationError) -> CatalogModel? in
            let catalogs = store.catalogs(besides: given)
            let known = try store.known(asset, catalogs: catalogs)
            let installed = store.installed(asset, catalogs: catalogs)
            if installed.contains(where: { !store.isDamaged($0) }) {
                FileName(model: asset).map(store.tidyUp)
                return nil
            }
            guard let model = known.model, model.downloads != nil else {
                throw .nothingToDownload(asset, package: known.model?.packaged?.name)
            }
            try store.checkPinned(model, allowingUnpinned: allowingUnpinned)
            return model
        }
        guard let model else { return nil }
        let assembly = try ModelAssembly(model: model, store: store)
        return CatalogInstallation(asset: model.asset, runtime: runtime) { [self] in job(for: assembly) }
    }

    /// A thread for what takes long, so that a status is never waited for.
    var longWork: BlockingWork { BlockingWork("model files", runtime: runtime) }

    private func job(for assembly: ModelAssembly) -> InstallationJob {
        let model = assembly.model
        let (job, isNew) = jobs.withLock { jobs in
            if let job = jobs[model.id] { return (job, false) }
            let job = InstallationJob(
                assembly: assembly, transport: transport, downloads: downloads, sizeLimit: sizeLimit,
                validator: validators[model.engine], runtime: runtime)
            jobs[model.id] = job
            return (job, true)
        }
        if isNew { job.start { [self] in jobs.withLock { $0[model.id] = nil } } }
        return job
    }

    /// Hashes a model's files again; damage is marked and thrown as `modelInvalid`.
    public func verify(_ asset: ModelAsset.ID) async throws(DictationError) {
        let (store, given) = (store, given)
        let packaged = try await longWork.run { () throws(DictationError) -> InstalledModel? in
            let found = store.installed(asset, catalogs: store.catalogs(besides: given))
            guard let model = found.first else {
                _ = try store.known(asset, catalogs: store.catalogs(besides: given))
                throw DictationError(
                    .modelNotInstalled, "The model '\(asset)' is not installed.", recovery: "Install it first.")
            }
            return try store.verify(model, isCancelled: { Task.isCancelled }) ? nil : model
        }
        // A package keeps its own list of hashes; what is left to ask is whether the engine can use it.
        if let packaged { try await validators[packaged.asset.engine]?(packaged) }
    }

    /// Removes a model that was installed for this user, and any part of it that was downloaded.
    ///
    /// - Throws: `notRemovable` for a model that all users share, `alreadyRunning` while it is being installed.
    public func remove(_ asset: ModelAsset.ID) async throws(DictationError) {
        guard let name = FileName(model: asset) else { return }
        let store = store
        try await work.run { () throws(DictationError) in
            let installed = store.installed(asset, catalogs: [])
            let own = installed.first { $0.origin == .user }
            if own == nil, let other = installed.first {
                throw DictationError(
                    .notRemovable,
                    "The model '\(asset)' in '\(other.folder)' belongs to all users of this machine.",
                    recovery: "Ask its administrator to remove it.")
            }
            let isBegun = try store.existing(.staging)?.status(of: name) != nil
            guard own != nil || isBegun else { return }
            let lock = try store.lock(name)
            defer { lock.release() }
            if own != nil { try store.discard(name) }
            try store.existing(.staging)?.remove(name)
            store.emptyTrash()
        }
    }

    /// What a user trusts who allows a model without a known hash, in one sentence: who publishes it, the address, and
    /// how it comes here. `nil` for a model whose files are known, and for one that can't be downloaded.
    public func trustWithoutHash(in asset: ModelAsset.ID) async throws(DictationError) -> String? {
        let (store, given) = (store, given)
        return try await work.run { () throws(DictationError) in
            let known = try store.known(asset, catalogs: store.catalogs(besides: given))
            guard let model = known.model, let name = FileName(model: asset), model.downloads != nil,
                !model.isPinned
            else { return nil }
            return try store.recordedHashes(of: name) != nil ? nil : model.trustWithoutHash
        }
    }

    /// Forgets what the files of an unpinned model were when it was first installed, so that others may be.
    public func forgetRecordedHashes(of asset: ModelAsset.ID) async throws(DictationError) {
        let store = store
        try await work.run { () throws(DictationError) in
            if let name = FileName(model: asset) { try store.forgetHashes(of: name) }
        }
    }
}

extension DictationError {
    static func unpinned(_ asset: ModelAsset.ID, _ trust: String) -> DictationError {
        DictationError(
            .modelUnpinned, "No catalogue says what the files of the model '\(asset)' must be: \(trust)",
            recovery: "If you trust its source, install it with allowingUnpinned; its hashes are kept from then on."
        )
    }

    static func nothingToDownload(_ asset: ModelAsset.ID, package: String?) -> DictationError {
        DictationError(
            .installationFailed, "The model '\(asset)' can't be downloaded.",
            recovery: package.map { "Install the system's package '\($0)'." } ?? "Add a catalogue that has it.")
    }
}
#endif
