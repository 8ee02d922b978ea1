import DictationCore
public import DictationModels

#if ModelCatalog
extension CatalogAssetInventory {
    /// Makes an inventory whose models are checked by the engines of this build.
    ///
    /// - Parameters:
    ///   - store: Where models are installed.
    ///   - catalogs: The catalogs that the app brings, besides those that are added.
    ///   - sizeLimit: The most bytes that installed models may take. With `nil` no model is ever evicted.
    ///   - downloads: How downloads deal with a slow or failing network.
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
@available(*, unavailable, message: "Enable the 'ModelCatalog' trait of swift-dictation.")
extension CatalogAssetInventory {
    /// Left out of this build.
    public convenience init(
        store: ModelStore = .standard, catalogs: [ModelCatalog] = [.builtIn], sizeLimit: Int64? = nil,
        downloads: DownloadOptions = DownloadOptions()
    ) {
        self.init(store: store, catalogs: catalogs, validators: [:], sizeLimit: sizeLimit, downloads: downloads)
    }
}
#endif
