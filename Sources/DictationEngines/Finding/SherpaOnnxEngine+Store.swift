#if SherpaOnnx
public import DictationCore
public import DictationModels

extension SherpaOnnxEngine {
    /// Makes an engine for the model that is installed for a locale, the user's first.
    ///
    /// - Throws: `modelNotInstalled` if no model of the engine is installed, `unsupportedLocale` if none is for the
    ///   locale.
    public convenience init(
        locale: SpeechLocale, in store: ModelStore = .standard, configuration: SherpaOnnxConfiguration = .init()
    ) throws(DictationError) {
        let model = try store.modelInUse(by: .sherpaOnnx, for: locale)
        try self.init(folder: model.folder, locales: model.asset.locales, configuration: configuration)
    }
}

extension SherpaOnnxOfflineEngine {
    /// Makes an engine for the model that is installed for a locale, the user's first.
    ///
    /// - Throws: `modelNotInstalled` if no model of the engine is installed, `unsupportedLocale` if none is for the
    ///   locale.
    public convenience init(
        locale: SpeechLocale, in store: ModelStore = .standard, configuration: SherpaOnnxConfiguration = .init()
    ) throws(DictationError) {
        let model = try store.modelInUse(by: .sherpaOnnxOffline, for: locale)
        try self.init(folder: model.folder, locales: model.asset.locales, configuration: configuration)
    }
}

extension ModelStore {
    /// The model that an engine uses for a locale. The store notes that it is in use.
    fileprivate func modelInUse(
        by engine: EngineID, for locale: SpeechLocale
    ) throws(DictationError) -> InstalledModel {
        guard let model = models(engine: engine, locale: locale).first else {
            let others = Set(models(engine: engine).flatMap(\.asset.locales)).sorted()
            guard !others.isEmpty else {
                throw DictationError(
                    .modelNotInstalled, "No model of \(engine) is installed.",
                    recovery: "Install one with CatalogAssetInventory.")
            }
            throw DictationError(
                .unsupportedLocale, "No model of \(engine) is installed for \(locale).",
                recovery: "Install one with CatalogAssetInventory, or choose from: "
                    + others.map(\.identifier).joined(separator: ", ") + ".")
        }
        markUsed(model)
        return model
    }
}
#endif
