import DictationCore

#if PocketSphinx
extension PocketSphinxModel {
    /// The models in a store: the user's, then the system's. What packages bring is in `installed()`.
    public static func installed(in store: ModelStore) -> [PocketSphinxModel] {
        store.models(engine: "pocketsphinx").filter { $0.origin != .package }.compactMap { installed in
            var model = try? PocketSphinxModel(folder: installed.path, locale: installed.asset.locales.first)
            model?.place = StorePlace(store: store, model: installed)
            return model
        }
    }
}
#endif

#if ModelCatalog
extension CatalogAssetInventory {
    /// The checks of the engines in this build: a model that its engine can't use is not installed. One of sherpa-onnx
    /// is loaded and decodes two seconds, in a process of its own.
    public static var engineChecks: [String: AssetValidator] {
        var checks: [String: AssetValidator] = [:]
        #if PocketSphinx
        checks["pocketsphinx"] = check { model throws(DictationError) in
            try PocketSphinxModel(folder: model.path, locale: model.asset.locales.first).validate()
        }
        #endif
        #if SherpaOnnx
        checks["sherpa-onnx"] = check { model throws(DictationError) in
            try ModelTrial(model: SherpaOnnxModel(at: model.path)).run()
        }
        checks["sherpa-onnx-offline"] = check { model throws(DictationError) in
            try ModelTrial(model: SherpaOnnxOfflineModel(at: model.path)).run()
        }
        #endif
        return checks
    }

    private static func check(
        _ body: @escaping @Sendable (InstalledModel) throws(DictationError) -> Void
    ) -> AssetValidator {
        { model throws(DictationError) in
            let work = BlockingWork(executor: DictationRuntime.current.blockingExecutor("model check"))
            try await work.run { () throws(DictationError) in try body(model) }
        }
    }
}
#endif
