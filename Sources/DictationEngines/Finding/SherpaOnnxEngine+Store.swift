public import DictationCore
public import DictationModels

extension SherpaOnnxEngine {
    /// Creates an engine with the installed model for a locale. Prefers the user's models over shared ones.
    ///
    /// - Parameters:
    ///   - locale: The locale that the model must support.
    ///   - store: The folders in which models are installed.
    ///   - configuration: The settings of the engine.
    /// - Throws: `modelNotInstalled` if no model of the engine is installed, `unsupportedLocale` if none is for the
    ///   locale.
    public convenience init(
        locale: SpeechLocale, in store: ModelStore = .standard, configuration: SherpaOnnxEngine.Configuration = .init()
    ) throws(DictationError) {
        let model = try store.modelInUse(by: .sherpaOnnx, for: locale)
        try self.init(folder: model.folder, locales: model.asset.locales, configuration: configuration)
    }
}

extension SherpaOnnxOfflineEngine {
    /// Creates an engine with the installed model for a locale. Prefers the user's models over shared ones.
    ///
    /// - Parameters:
    ///   - locale: The locale that the model must support.
    ///   - store: The folders in which models are installed.
    ///   - configuration: The settings of the engine.
    /// - Throws: `modelNotInstalled` if no model of the engine is installed, `unsupportedLocale` if none is for the
    ///   locale.
    public convenience init(
        locale: SpeechLocale, in store: ModelStore = .standard,
        configuration: SherpaOnnxOfflineEngine.Configuration = .init()
    ) throws(DictationError) {
        let model = try store.modelInUse(by: .sherpaOnnxOffline, for: locale)
        try self.init(folder: model.folder, locales: model.asset.locales, configuration: configuration)
    }
}

extension ModelStore {
    /// Returns the model that an engine uses for a locale, and records the use.
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
