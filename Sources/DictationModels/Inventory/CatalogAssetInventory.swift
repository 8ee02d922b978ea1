#if ModelCatalog
public import DictationCore
import DictationSystem
import Synchronization

/// Downloads, checks and installs models from catalogs. Installed models need no network.
///
/// - **Choose** it in an app that lets users download models. An engine that only finds installed models needs just
///   ``ModelStore``.
/// - **Use** ``assets()``, ``installation(of:)`` and its progress. Add catalogs with ``addCatalog(_:trusting:)``.
/// - **Test** an app with `ScriptedAssetInventory` instead.
///
/// A model is unpinned if no catalog gives its hashes. ``installation(of:)`` throws `modelUnpinned` for such a model.
/// With the user's consent, call ``installation(of:allowingUnpinned:)``. The first installation records the hashes, and
/// every later installation must match them.
public final class CatalogAssetInventory: ReservingAssetInventory {
    /// The folders in which models are installed.
    public let store: ModelStore
    let given: [ModelCatalog]
    let validators: [EngineID: InstalledModel.Validator]
    let sizeLimit: Int64?
    let downloads: DownloadOptions
    let transport: any ModelTransport
    let pip: Pip
    let runtime: DictationRuntime
    let work: BlockingWork
    private let jobs = Mutex<[ModelAsset.ID: InstallationJob]>([:])

    /// Creates an inventory.
    ///
    /// - Parameters:
    ///   - store: The folders in which models are installed.
    ///   - catalogs: The app's own catalogs. Users may add more.
    ///   - validators: The engines' own checks. Without a check for its engine, a model counts as installed when its
    ///     files match the catalog.
    ///   - sizeLimit: The greatest size of all installed models, in bytes. With `nil`, no model is evicted.
    ///   - downloads: The reaction of downloads to a slow or failing network.
    public convenience init(
        store: ModelStore = .standard, catalogs: [ModelCatalog] = [.builtIn],
        validators: [EngineID: InstalledModel.Validator],
        sizeLimit: Int64? = nil, downloads: DownloadOptions = DownloadOptions()
    ) {
        self.init(
            store: store, catalogs: catalogs, validators: validators, sizeLimit: sizeLimit, downloads: downloads,
            transport: WebTransport(), pip: Pip())
    }

    init(
        store: ModelStore, catalogs: [ModelCatalog], validators: [EngineID: InstalledModel.Validator] = [:],
        sizeLimit: Int64? = nil, downloads: DownloadOptions, transport: any ModelTransport,
        pip: Pip = Pip()
    ) {
        self.store = store
        given = catalogs
        self.validators = validators
        self.sizeLimit = sizeLimit
        self.downloads = downloads
        self.transport = transport
        self.pip = pip
        runtime = .current
        work = BlockingWork("model store", runtime: runtime)
    }

    /// Returns every model of the catalogs, then the installed models that are in no catalog.
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

    /// Returns the state of a model, including an installation by another process.
    public func status(of asset: ModelAsset.ID) async -> ModelAsset.Status {
        let job = jobs.withLock { $0[asset] }
        let (store, given) = (store, given)
        let status = try? await work.run { () throws(DictationError) -> ModelAsset.Status in
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

    /// Returns an installed model and marks it as used now. Returns `nil` if the model is not installed or is damaged.
    public func installedModel(_ asset: ModelAsset.ID) async throws(DictationError) -> InstalledModel? {
        let (store, given) = (store, given)
        return try await work.run { () throws(DictationError) in
            let found = store.installed(asset, catalogs: store.catalogs(besides: given))
            guard let model = found.first(where: { !store.isDamaged($0) }) else { return nil }
            store.markUsed(model)
            return model
        }
    }

    /// Protects a model from eviction, also in later runs of the program.
    ///
    /// - Throws: `unknownModel` if no catalog has the model and it is not installed.
    public func reserve(_ asset: ModelAsset.ID) async throws(DictationError) {
        let (store, given) = (store, given)
        try await work.run { () throws(DictationError) in
            _ = try store.known(asset, catalogs: store.catalogs(besides: given))
            try store.setReserved(asset, true)
        }
    }

    /// Ends the protection of a model from eviction.
    public func release(_ asset: ModelAsset.ID) async {
        let store = store
        try? await work.run { () throws(DictationError) in
            try store.setReserved(asset, false)
        }
    }

    /// Returns the models that are protected from eviction.
    public func reserved() async -> [ModelAsset.ID] {
        let store = store
        return (try? await work.run { store.reserved }) ?? []
    }

    /// Returns a request to install a model, or `nil` if the model is installed.
    ///
    /// - Throws: `modelUnpinned` if the model has no known hashes, `unknownModel` if no catalog has the model,
    ///   `installationFailed` if it has no download.
    public func installation(of asset: ModelAsset.ID) async throws(DictationError) -> (any AssetInstallation)? {
        try await installation(of: asset, allowingUnpinned: false)
    }

    /// Returns a request to install a model, or `nil` if the model is installed.
    ///
    /// - Parameters:
    ///   - asset: The model.
    ///   - allowingUnpinned: Pass `true` if the user consents to a model without known hashes.
    /// - Throws: `unknownModel` if no catalog has the model, `installationFailed` if it has no download.
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

    /// The engine's own check of a model; `nil` for a library.
    func validator(of asset: ModelAsset) -> InstalledModel.Validator? {
        asset.kind == .library ? nil : validators[asset.engine]
    }

    /// A separate thread for slow work, so that a status never waits for it.
    var longWork: BlockingWork { BlockingWork("model files", runtime: runtime) }

    private func job(for assembly: ModelAssembly) -> InstallationJob {
        let model = assembly.model
        let (job, isNew) = jobs.withLock { jobs in
            if let job = jobs[model.id] { return (job, false) }
            let job = InstallationJob(
                assembly: assembly, transport: transport, pip: pip, downloads: downloads, sizeLimit: sizeLimit,
                validator: validator(of: model.asset), runtime: runtime)
            jobs[model.id] = job
            return (job, true)
        }
        if isNew { job.start { [self] in jobs.withLock { $0[model.id] = nil } } }
        return job
    }

    /// Checks an installed model's files against their recorded hashes, and marks a damaged model.
    ///
    /// - Throws: `modelInvalid` if a file is damaged, `modelNotInstalled` if the model is not installed.
    public func verify(_ asset: ModelAsset.ID) async throws(DictationError) {
        let (store, given) = (store, given)
        let packaged = try await longWork.run { () throws(DictationError) -> InstalledModel? in
            let found = store.installed(asset, catalogs: store.catalogs(besides: given))
            guard let model = found.first else {
                _ = try store.known(asset, catalogs: store.catalogs(besides: given))
                throw DictationError(
                    .modelNotInstalled, "The model “\(asset)” is not installed.", recovery: "Install it first.")
            }
            return try store.verify(model, isCancelled: { Task.isCancelled }) ? nil : model
        }
        // A system package has no receipt here, so the engine's own check must do.
        if let packaged { try await validator(of: packaged.asset)?(packaged) }
    }

    /// Removes a model that was installed for this user, and any unfinished download of it.
    ///
    /// - Throws: `notRemovable` for a model that all users share, `alreadyRunning` during an installation.
    public func remove(_ asset: ModelAsset.ID) async throws(DictationError) {
        guard let name = FileName(model: asset) else { return }
        let store = store
        try await work.run { () throws(DictationError) in
            let installed = store.installed(asset, catalogs: [])
            let own = installed.first { $0.origin == .user }
            if own == nil, let other = installed.first {
                throw DictationError(
                    .notRemovable,
                    "The model “\(asset)” in “\(other.folder)” is shared by all users of this machine.",
                    recovery: "Ask the administrator to remove it.")
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

    /// Returns whom a user trusts by allowing a model without known hashes, as the end of a sentence. It names the
    /// publisher and the address, and says whether TLS protects the connection.
    ///
    /// - Returns: `nil` for a model with known hashes or without a download.
    /// - Throws: `unknownModel` if no catalog has the model and it is not installed.
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

    /// Deletes the recorded hashes of an unpinned model, so that its next installation may have other files.
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
            .modelUnpinned, "No catalog gives the hashes of the model “\(asset)”: \(trust)",
            recovery: "If you trust its source, install it with allowingUnpinned. Later installations must match it."
        )
    }

    static func nothingToDownload(_ asset: ModelAsset.ID, package: String?) -> DictationError {
        DictationError(
            .installationFailed, "The model “\(asset)” can't be downloaded.",
            recovery: package.map { "Install the system package “\($0)”." } ?? "Add a catalog that has it.")
    }
}
#endif
