#if SherpaOnnx
public import DictationCore

extension SherpaOnnxEngine {
    /// Makes an engine for the model that is installed for a locale, the user's first. Throws `unsupportedLocale` when
    /// there is none.
    public convenience init(
        locale: SpeechLocale, in store: ModelStore = .standard, configuration: SherpaOnnxConfiguration = .init()
    ) throws(DictationError) {
        let model = try store.modelInUse("sherpa-onnx", locale)
        try self.init(modelFolder: model.path, locales: model.asset.locales, configuration: configuration)
    }
}

extension SherpaOnnxOfflineEngine {
    /// Makes an engine for the model that is installed for a locale, the user's first. Throws `unsupportedLocale` when
    /// there is none.
    public convenience init(
        locale: SpeechLocale, in store: ModelStore = .standard, configuration: SherpaOnnxConfiguration = .init()
    ) throws(DictationError) {
        let model = try store.modelInUse("sherpa-onnx-offline", locale)
        try self.init(modelFolder: model.path, locales: model.asset.locales, configuration: configuration)
    }
}

extension ModelStore {
    /// The model that an engine is to use for a locale, noted as in use.
    fileprivate func modelInUse(_ engine: String, _ locale: SpeechLocale) throws(DictationError) -> InstalledModel {
        guard let model = models(engine: engine, locale: locale).first else {
            throw DictationError(
                .unsupportedLocale, "No model of \(engine) is installed for \(locale).",
                recovery: "Install one with CatalogAssetInventory.")
        }
        markUsed(model)
        return model
    }
}
#endif
