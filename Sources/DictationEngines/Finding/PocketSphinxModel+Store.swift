#if PocketSphinx
import DictationCore
public import DictationModels

extension PocketSphinxModel {
    /// Returns the models in a store: the user's, then shared ones. ``installed(folders:)`` returns those of system
    /// packages.
    public static func installed(in store: ModelStore) -> [PocketSphinxModel] {
        store.models(engine: .pocketSphinx).filter { $0.origin != .package }.compactMap { installed in
            var model = try? PocketSphinxModel(folder: installed.folder, locale: installed.asset.locales.first)
            model?.place = StorePlace(store: store, model: installed)
            return model
        }
    }

    /// Creates the model of an installation. The store records each use of the model.
    init(_ installed: InstalledModel, in store: ModelStore) throws(DictationError) {
        try self.init(folder: installed.folder, locale: installed.asset.locales.first)
        if installed.origin != .package { place = StorePlace(store: store, model: installed) }
    }
}
#endif
