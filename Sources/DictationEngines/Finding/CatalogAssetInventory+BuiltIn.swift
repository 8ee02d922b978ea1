import DictationCore
public import DictationModels

#if ModelCatalog
extension CatalogAssetInventory {
    /// Creates an inventory that checks models with the engines of this build.
    ///
    /// - Parameters:
    ///   - store: The folders in which models are installed.
    ///   - catalogs: The app's own catalogs. Users may add more.
    ///   - sizeLimit: The greatest size of all installed models, in bytes. With `nil`, no model is evicted.
    ///   - downloads: The reaction of downloads to a slow or failing network.
    public convenience init(
        store: ModelStore = .standard, catalogs: [ModelCatalog] = [.builtIn], sizeLimit: Int64? = nil,
        downloads: DownloadOptions = DownloadOptions()
    ) {
        self.init(
            store: store, catalogs: catalogs, validators: BuiltInEngines.validators, sizeLimit: sizeLimit,
            downloads: downloads)
    }
}
#else
@available(*, unavailable, message: "Enable the “ModelCatalog” trait of swift-dictation.")
extension CatalogAssetInventory {
    /// Unavailable in this build.
    public convenience init(
        store: ModelStore = .standard, catalogs: [ModelCatalog] = [.builtIn], sizeLimit: Int64? = nil,
        downloads: DownloadOptions = DownloadOptions()
    ) {
        self.init(store: store, catalogs: catalogs, validators: [:], sizeLimit: sizeLimit, downloads: downloads)
    }
}
#endif
