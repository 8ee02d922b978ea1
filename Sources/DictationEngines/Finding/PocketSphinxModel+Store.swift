#if PocketSphinx
import DictationCore
public import DictationModels

extension PocketSphinxModel {
    /// The models in a store: the user's, then the system's. `installed()` finds those of the system's packages.
    public static func installed(in store: ModelStore) -> [PocketSphinxModel] {
        store.models(engine: .pocketSphinx).filter { $0.origin != .package }.compactMap { installed in
            var model = try? PocketSphinxModel(folder: installed.folder, locale: installed.asset.locales.first)
            model?.place = StorePlace(store: store, model: installed)
            return model
        }
    }

    /// Finds the model that is installed in a store, which is told when the model is used.
    init(_ installed: InstalledModel, in store: ModelStore) throws(DictationError) {
        try self.init(folder: installed.folder, locale: installed.asset.locales.first)
        if installed.origin != .package { place = StorePlace(store: store, model: installed) }
    }
}
#endif
