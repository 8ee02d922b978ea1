public import DictationCore
public import DictationModels

/// The engines in this build.
public enum BuiltInEngines: Sendable {
    /// The engines' checks of their models. A model that its engine can't use does not count as installed.
    ///
    /// PocketSphinx reads every file. A sherpa-onnx model is loaded in a separate process and decodes two seconds of
    /// noise.
    public static var validators: [EngineID: InstalledModel.Validator] {
        var validators: [EngineID: InstalledModel.Validator] = [:]
        #if PocketSphinx
        validators[.pocketSphinx] = validator { model throws(DictationError) in
            try PocketSphinxModel(folder: model.folder, locale: model.asset.locales.first).validate()
        }
        #endif
        validators[.sherpaOnnx] = validator { model throws(DictationError) in
            try ModelCheck(model: SherpaOnnxEngine.Model(folder: model.folder)).run()
        }
        validators[.sherpaOnnxOffline] = validator { installed throws(DictationError) in
            let isModel = installed.asset.kind == .model
            let networks: any TriedNetworks =
                isModel
                ? try SherpaOnnxOfflineEngine.Model(folder: installed.folder)
                : SherpaOnnxOfflineEngine.Detectors(folder: installed.folder)
            try ModelCheck(model: networks).run()
        }
        return validators
    }

    private static func validator(
        _ check: @escaping @Sendable (InstalledModel) throws(DictationError) -> Void
    ) -> InstalledModel.Validator {
        { model throws(DictationError) in
            try await BlockingWork("model check").run { () throws(DictationError) in try check(model) }
        }
    }
}
