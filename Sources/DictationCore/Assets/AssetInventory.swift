/// The models that an app can use: lists them, and installs, checks and removes them.
///
/// - **Choose** `CatalogAssetInventory` for models from a catalog, `ScriptedAssetInventory` in tests.
/// - **Use** ``installation(engine:locale:)`` and its progress.
/// - **Implement** it for another source of models, and ``ReservingAssetInventory`` if yours evicts models.
/// - **Test** your own with `InventoryConformance` from DictationTesting. The cases of `InventoryConformance.Clause` there are what
///   an inventory promises.
public protocol AssetInventory: Sendable {
    /// Returns every asset that the inventory knows, installed or not.
    func assets() async throws(DictationError) -> [ModelAsset]
    /// Returns the status of an asset.
    func status(of asset: ModelAsset.ID) async -> ModelAsset.Status
    /// Returns a request to install an asset, or `nil` if it is installed.
    ///
    /// - Throws: ``DictationError/Code/unknownModel`` if the inventory doesn't know the asset, and
    ///   ``DictationError/Code/modelUnpinned`` if its files have no known hashes.
    func installation(of asset: ModelAsset.ID) async throws(DictationError) -> (any AssetInstallation)?
    /// Returns what the installation of an asset would download. An inventory that can't tell returns an empty value.
    ///
    /// - Throws: ``DictationError/Code/unknownModel`` if the inventory doesn't know the asset, and
    ///   ``DictationError/Code/installationFailed`` if the asset can't be installed on this machine.
    func download(of asset: ModelAsset.ID) async throws(DictationError) -> ModelAsset.Download
    /// Checks the files of an installed asset. Marks the asset as damaged if they have changed.
    ///
    /// - Throws: ``DictationError/Code/modelInvalid`` for damage, ``DictationError/Code/modelNotInstalled`` for an
    ///   asset that isn't installed, ``DictationError/Code/unknownModel`` for one that the inventory doesn't know.
    func verify(_ asset: ModelAsset.ID) async throws(DictationError)
    /// Removes an installed asset. Does nothing for one that isn't installed.
    ///
    /// - Throws: ``DictationError/Code/notRemovable`` for an asset that belongs to the system or to all users.
    func remove(_ asset: ModelAsset.ID) async throws(DictationError)
}

/// An inventory that evicts models to make room, except those that are reserved.
public protocol ReservingAssetInventory: AssetInventory {
    /// Keeps an asset from being evicted.
    ///
    /// - Throws: ``DictationError/Code/unknownModel`` if the inventory doesn't know the asset.
    func reserve(_ asset: ModelAsset.ID) async throws(DictationError)
    /// Lets an asset be evicted again.
    func release(_ asset: ModelAsset.ID) async
    /// Returns the assets that are reserved.
    func reserved() async -> [ModelAsset.ID]
}

extension AssetInventory {
    /// Returns an empty value, which tells nothing.
    public func download(of asset: ModelAsset.ID) async throws(DictationError) -> ModelAsset.Download {
        ModelAsset.Download()
    }

    /// Throws if the status says that the asset is damaged or not installed. An inventory whose status looks at no file has to look
    /// at them here.
    public func verify(_ asset: ModelAsset.ID) async throws(DictationError) {
        switch await status(of: asset) {
        case .installed: return
        case .damaged:
            throw DictationError(.modelInvalid, "The files of “\(asset)” have changed.", recovery: "Install it again.")
        case .unsupported:
            throw DictationError(.unknownModel, "There is no “\(asset)”.", recovery: "Choose one that is listed.")
        case .supported, .downloading, .stalled:
            throw DictationError(.modelNotInstalled, "“\(asset)” is not installed.", recovery: "Install it.")
        }
    }

    /// Returns the locales that an engine has models for, installed or not.
    public func supportedLocales(engine: EngineID) async throws(DictationError) -> [SpeechLocale] {
        Self.locales(try await models(of: engine))
    }

    /// Returns the locales that an engine has an installed model for.
    public func installedLocales(engine: EngineID) async throws(DictationError) -> [SpeechLocale] {
        var installed: [ModelAsset] = []
        for asset in try await models(of: engine) {
            if await status(of: asset.id) == .installed { installed.append(asset) }
        }
        return Self.locales(installed)
    }

    /// Returns the most advanced status among an engine's assets for a locale.
    public func status(engine: EngineID, locale: SpeechLocale) async throws(DictationError) -> ModelAsset.Status {
        var best = ModelAsset.Status.unsupported
        for asset in try await models(of: engine) where asset.locales.contains(locale) {
            best = max(best, await status(of: asset.id))
        }
        return best
    }

    /// Returns a request to install the best asset of an engine for a locale, or `nil` if an installed one serves it.
    ///
    /// An asset with known hashes is better than one without. Among equals the inventory's order decides. An asset that
    /// this inventory can't install is skipped.
    ///
    /// - Throws: ``DictationError/Code/unknownModel`` if the inventory has no asset of the engine,
    ///   ``DictationError/Code/unsupportedLocale`` if it has none for the locale, or the error of the best asset's
    ///   ``installation(of:)`` if no asset can be installed.
    public func installation(
        engine: EngineID, locale: SpeechLocale
    ) async throws(DictationError) -> (any AssetInstallation)? {
        let assets = try await models(of: engine)
        guard !assets.isEmpty else {
            throw DictationError(
                .unknownModel, "There are no models of the engine “\(engine)”.",
                recovery: "Check its name, or add a catalog that has some.")
        }
        let suited = assets.filter { $0.locales.contains(locale) }
        for asset in suited where await status(of: asset.id) == .installed { return nil }
        var first: DictationError?
        for asset in suited.filter(\.isPinned) + suited.filter({ !$0.isPinned }) {
            do throws(DictationError) { return try await installation(of: asset.id) } catch { first = first ?? error }
        }
        let locales = Self.locales(assets).map(\.identifier).joined(separator: ", ")
        throw first
            ?? DictationError(
                .unsupportedLocale, "There is no model of the engine “\(engine)” for \(locale).",
                recovery: "Choose from: \(locales).")
    }

    /// Returns an engine's models, installed or not, without its libraries.
    private func models(of engine: EngineID) async throws(DictationError) -> [ModelAsset] {
        try await assets().filter { $0.engine == engine && $0.kind == .model }
    }

    private static func locales(_ assets: [ModelAsset]) -> [SpeechLocale] {
        Set(assets.flatMap(\.locales)).sorted()
    }
}
