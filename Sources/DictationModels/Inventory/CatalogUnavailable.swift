#if !ModelCatalog
public import DictationCore

/// Downloads, checks and installs models from catalogs. This build leaves it out.
@available(*, unavailable, message: "Enable the “ModelCatalog” trait of swift-dictation.")
public final class CatalogAssetInventory: AssetInventory {
    // Has the arguments of the real initializer, so that the compiler's error names the trait.
    /// Unavailable in this build.
    public init(
        store: ModelStore = .standard, catalogs: [ModelCatalog] = [.builtIn],
        validators: [EngineID: InstalledModel.Validator],
        sizeLimit: Int64? = nil, downloads: DownloadOptions = DownloadOptions()
    ) {}

    // The protocol's requirements are here, so that every use of the type is an error that names the trait.
    /// Unavailable in this build.
    public func assets() async throws(DictationError) -> [ModelAsset] { [] }
    /// Unavailable in this build.
    public func status(of asset: ModelAsset.ID) async -> ModelAsset.Status { .unsupported }
    /// Unavailable in this build.
    public func installation(of asset: ModelAsset.ID) async throws(DictationError) -> (any AssetInstallation)? { nil }
    /// Unavailable in this build.
    public func verify(_ asset: ModelAsset.ID) async throws(DictationError) {}
    /// Unavailable in this build.
    public func remove(_ asset: ModelAsset.ID) async throws(DictationError) {}
}
#endif
