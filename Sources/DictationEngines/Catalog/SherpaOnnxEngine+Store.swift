#if SherpaOnnx
    public import DictationCore

    extension SherpaOnnxEngine {
        /// Makes an engine for the model that is installed for a locale, the user's first. Throws `unsupportedLocale` when
        /// there is none.
        public convenience init(
            locale: SpeechLocale, in store: ModelStore = .standard, configuration: SherpaOnnxConfiguration = .init()
        ) throws(DictationError) {
            let model = try store.model(ofSherpaOnnx: "sherpa-onnx", locale)
            store.markUsed(model)
            try self.init(modelFolder: model.path, locales: model.asset.locales, configuration: configuration)
        }
    }

    extension SherpaOnnxOfflineEngine {
        /// Makes an engine for the model that is installed for a locale, the user's first. Throws `unsupportedLocale` when
        /// there is none.
        public convenience init(
            locale: SpeechLocale, in store: ModelStore = .standard, configuration: SherpaOnnxConfiguration = .init()
        ) throws(DictationError) {
            let model = try store.model(ofSherpaOnnx: "sherpa-onnx-offline", locale)
            store.markUsed(model)
            try self.init(modelFolder: model.path, locales: model.asset.locales, configuration: configuration)
        }
    }

    extension ModelStore {
        fileprivate func model(
            ofSherpaOnnx engine: String, _ locale: SpeechLocale
        ) throws(DictationError) -> InstalledModel {
            if let model = models(engine: engine, locale: locale).first { return model }
            throw DictationError(
                .unsupportedLocale, "No model of \(engine) is installed for \(locale).",
                recovery: "Install one with CatalogAssetInventory.")
        }
    }
#endif
