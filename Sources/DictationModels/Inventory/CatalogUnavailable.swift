#if !ModelCatalog
public import DictationCore

/// Models from a catalogue: downloaded, checked and installed. Left out of this build.
@available(*, unavailable, message: "Enable the 'ModelCatalog' trait of swift-dictation.")
public final class CatalogAssetInventory: Sendable {
    // With the real one's arguments, so that the compiler names the trait where a program makes one.
    /// Left out of this build.
    public init(
        store: ModelStore = .standard, catalogs: [ModelCatalog] = [.builtIn], validators: [EngineID: ModelValidator],
        sizeLimit: Int64? = nil, downloads: DownloadOptions = DownloadOptions()
    ) {}
}
#endif
