#if !ModelCatalog
public import DictationCore

/// Downloads, checks and installs models from catalogs. This build leaves it out.
@available(*, unavailable, message: "Enable the 'ModelCatalog' trait of swift-dictation.")
public final class CatalogAssetInventory: Sendable {
    // Has the arguments of the real initializer, so that the compiler's error names the trait.
    /// Unavailable in this build.
    public init(
        store: ModelStore = .standard, catalogs: [ModelCatalog] = [.builtIn], validators: [EngineID: ModelValidator],
        sizeLimit: Int64? = nil, downloads: DownloadOptions = DownloadOptions()
    ) {}
}
#endif
