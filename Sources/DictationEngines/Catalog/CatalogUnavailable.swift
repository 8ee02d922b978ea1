#if !ModelCatalog
/// Models from a catalogue: downloaded, checked and installed.
@available(*, unavailable, message: "Enable the 'ModelCatalog' trait")
public final class CatalogAssetInventory: Sendable {}
#endif
