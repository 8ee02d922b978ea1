#if PocketSphinx
import DictationCore
public import DictationModels

extension PocketSphinxModel {
    /// Returns the models in a store: the user's, then shared ones. A model for several locales comes once for each.
    /// ``installed(folders:)`` returns those of system packages.
    public static func installed(in store: ModelStore) -> [PocketSphinxModel] {
        store.models(engine: .pocketSphinx).filter { $0.origin != .package }.flatMap { installed in
            (try? models(of: installed, in: store)) ?? []
        }
    }

    /// Returns the model of an installation for each of its locales. The store records each use.
    static func models(
        of installed: InstalledModel, in store: ModelStore
    ) throws(DictationError) -> [PocketSphinxModel] {
        let locales: [SpeechLocale?] = installed.asset.locales.isEmpty ? [nil] : installed.asset.locales
        var models: [PocketSphinxModel] = []
        for locale in locales {
            var model = try PocketSphinxModel(folder: installed.folder, locale: locale)
            if installed.origin != .package { model.place = StorePlace(store: store, model: installed) }
            models.append(model)
        }
        return models
    }
}
#endif
