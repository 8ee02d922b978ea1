#if SherpaOnnx
    public import DictationCore

    extension SherpaOnnxEngine {
        /// Makes an engine for the model that is installed for a locale, the user's first. Throws `unsupportedLocale` when
        /// there is none.
        public convenience init(
            locale: SpeechLocale, in store: ModelStore = .standard, configuration: SherpaOnnxConfiguration = .init()
        ) throws(DictationError) {
            guard let model = store.models(engine: "sherpa-onnx", locale: locale).first else {
                throw DictationError(
                    .unsupportedLocale, "No model of sherpa-onnx is installed for \(locale).",
                    recovery: "Install one with CatalogAssetInventory.")
            }
            store.markUsed(model)
            try self.init(modelFolder: model.path, locales: model.asset.locales, configuration: configuration)
        }
    }
#endif
