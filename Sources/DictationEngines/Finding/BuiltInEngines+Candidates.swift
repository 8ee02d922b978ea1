public import DictationCore
public import DictationModels
import DictationSystem

extension BuiltInEngines {
    /// Returns the engines of this package, the best for free speech first, with the models of a store and of system
    /// packages. An engine that this build does not have names its missing trait.
    ///
    /// The first is ``TwoPassEngine``: a model of sherpa-onnx-offline for the text, and a streaming model of sherpa-onnx,
    /// or else PocketSphinx, for word times and as a check.
    ///
    /// - Parameters:
    ///   - store: The models.
    ///   - retention: How long the engines keep their models in memory; `nil` is each engine's usual time.
    public static func candidates(
        store: ModelStore = .standard, retention: ModelRetention? = nil
    ) -> [EngineCandidate] {
        let offline = sherpaOnnxOffline(store, retention).noticingDamage(in: store)
        let streaming = sherpaOnnx(store, retention).noticingDamage(in: store)
        let sphinx = pocketSphinx(store, retention).noticingDamage(in: store)
        return [.twoPass(thorough: [offline], quick: [streaming, sphinx]), offline, streaming, sphinx]
    }

    /// Returns the engines of this package that find out the language which is spoken, with the models of a store. Of
    /// the models of sherpa-onnx-offline, Whisper and SenseVoice can do this.
    ///
    ///     let finder = EngineFinder(options: .fileTranscription(), candidates: BuiltInEngines.detectingLanguage())
    ///
    /// They work alone, because a quick engine beside them would have only one language. Other models are refused with
    /// `unsupportedOption`.
    ///
    /// - Parameters:
    ///   - store: The models.
    ///   - retention: How long the engines keep their models in memory; `nil` is each engine's usual time.
    public static func detectingLanguage(
        store: ModelStore = .standard, retention: ModelRetention? = nil
    ) -> [EngineCandidate] {
        [sherpaOnnxOffline(store, retention, detectsLanguage: true).noticingDamage(in: store)]
    }

    #if PocketSphinx
    private static func pocketSphinx(_ store: ModelStore, _ retention: ModelRetention?) -> EngineCandidate {
        EngineCandidate(.pocketSphinx) {
            let stored = store.models(engine: .pocketSphinx)
            let others = PocketSphinxModel.installed().filter { model in
                !stored.contains { isBelow(model.folder, $0.folder) }
            }
            return stored.map { installed in
                model(installed, in: store, retention) { () throws(DictationError) in
                    .pocketSphinx(try PocketSphinxModel.models(of: installed, in: store))
                }
            } + others.map { engineModel($0, retention) }
        } recognizes: { folder in
            !ModelFiles.hasNetworks(in: folder)
        } model: { folder, locale throws(DictationError) in
            let kept = store.models(engine: .pocketSphinx).first { $0.folder == folder }
            let named = try? PocketSphinxModel(folder: folder).locale
            try check(folder, isFor: kept?.asset.locales ?? [named].compactMap(\.self), locale)
            return try model(of: folder) { () throws(DictationError) in
                engineModel(try PocketSphinxModel(folder: folder, locale: locale), retention)
            }
        }
    }

    private static func engineModel(_ model: PocketSphinxModel, _ retention: ModelRetention?) -> EngineCandidate.Model {
        EngineCandidate.Model(
            name: model.name, locales: [model.locale], .describing(retention) { .pocketSphinx([model]) })
    }

    private static func isBelow(_ path: String, _ folder: String) -> Bool {
        path.utf8.elementsEqual(folder.utf8) || path.utf8.starts(with: Array(folder.utf8) + [UInt8(ascii: "/")])
    }

    /// Throws `unsupportedLocale` if a model is for another locale. A model without locales is for any.
    private static func check(
        _ folder: String, isFor locales: [SpeechLocale], _ locale: SpeechLocale
    ) throws(DictationError) {
        let isRight = locales.contains {
            $0 == locale || ($0.identifier == $0.language && $0.language == locale.language)
        }
        guard !isRight, let first = locales.first else { return }
        throw DictationError(
            .unsupportedLocale, "The model in “\(folder)” is for \(first), not for \(locale).",
            recovery: "Choose \(first), or a model for \(locale).")
    }
    #else
    private static func pocketSphinx(_ store: ModelStore, _ retention: ModelRetention?) -> EngineCandidate {
        EngineCandidate(.pocketSphinx, missingTrait: "PocketSphinx")
    }
    #endif

    private static func sherpaOnnx(_ store: ModelStore, _ retention: ModelRetention?) -> EngineCandidate {
        EngineCandidate(.sherpaOnnx, library: .sherpaOnnx) {
            store.models(engine: .sherpaOnnx).map { installed in
                model(installed, in: store, retention) { () throws(DictationError) in
                    try .sherpaOnnx(SherpaOnnxEngine.Model(folder: installed.folder), locales: installed.asset.locales)
                }
            }
        } recognizes: { folder in
            !SherpaOnnxOfflineEngine.Model.isModel(folder: folder)
        } model: { folder, locale throws(DictationError) in
            try model(of: folder) { () throws(DictationError) in
                let model = try SherpaOnnxEngine.Model(folder: folder)
                let locales = try SherpaOnnxInventory.Manifest.locales(model.manifest?.locales ?? [locale], of: folder)
                let origin = EngineCandidate.Model.Origin.describing(retention) { () throws(DictationError) in
                    try .sherpaOnnx(model, locales: locales)
                }
                return EngineCandidate.Model(name: PathBytes(model.folder).lastName, locales: locales, origin)
            }
        }
    }

    private static func sherpaOnnxOffline(
        _ store: ModelStore, _ retention: ModelRetention?, detectsLanguage: Bool = false
    ) -> EngineCandidate {
        @Sendable func configuration() -> SherpaOnnxOfflineEngine.Configuration {
            var configuration = SherpaOnnxOfflineEngine.Configuration()
            configuration.detectsLanguage = detectsLanguage
            if OnnxNetwork.isAvailable {
                configuration.detectors = SherpaOnnxOfflineEngine.Detectors.installed(in: store)
            }
            return configuration
        }
        return EngineCandidate(.sherpaOnnxOffline, library: .sherpaOnnx) {
            store.models(engine: .sherpaOnnxOffline).map { installed in
                model(installed, in: store, retention) { () throws(DictationError) in
                    try .sherpaOnnxOffline(
                        SherpaOnnxOfflineEngine.Model(folder: installed.folder), locales: installed.asset.locales,
                        configuration: configuration())
                }
            }
        } recognizes: { folder in
            SherpaOnnxOfflineEngine.Model.isModel(folder: folder)
        } model: { folder, locale throws(DictationError) in
            try model(of: folder) { () throws(DictationError) in
                let model = try SherpaOnnxOfflineEngine.Model(folder: folder)
                let locales = model.locales.isEmpty ? [locale] : model.locales
                let origin = EngineCandidate.Model.Origin.describing(retention) { () throws(DictationError) in
                    try .sherpaOnnxOffline(model, locales: locales, configuration: configuration())
                }
                return EngineCandidate.Model(name: PathBytes(model.folder).lastName, locales: locales, origin)
            }
        }
    }

    /// Returns a model of a store. Opening it counts as a use.
    private static func model(
        _ installed: InstalledModel, in store: ModelStore, _ retention: ModelRetention?,
        describing: @escaping @Sendable () throws(DictationError) -> EngineDescription
    ) -> EngineCandidate.Model {
        let origin = EngineCandidate.Model.Origin.describing(retention) { () throws(DictationError) in
            let description = try describing()
            store.markUsed(installed)
            return description
        }
        return EngineCandidate.Model(
            name: PathBytes(installed.folder).lastName, locales: installed.asset.locales, origin)
    }

    private static func model(
        of folder: String, _ open: () throws(DictationError) -> EngineCandidate.Model
    ) throws(DictationError) -> EngineCandidate.Model {
        do throws(DictationError) { return try open() } catch { throw error.asModelError }
    }
}

extension EngineCandidate {
    /// Returns the candidate with the damages of its models in a store.
    fileprivate func noticingDamage(in store: ModelStore) -> EngineCandidate {
        var candidate = self
        candidate.damages = { [id] locale in
            store.damagedModels(of: id).filter { $0.asset.locales.contains(locale) }.map { model in
                let error = DictationError(
                    .modelInvalid,
                    "The model \(model.asset.id) is damaged: its files in \(model.folder) changed after the installation.",
                    recovery: "Install this model again.")
                return EngineFinder.Failure(engine: id, model: PathBytes(model.folder).lastName, error: error)
            }
        }
        candidate.losses = { [id] in
            store.damagedDetectors(of: id).map { detectors in
                let error = DictationError(
                    .modelInvalid,
                    "The speech detectors are damaged: their files in \(detectors.folder) changed after the installation. "
                        + "Loudness decides what is speech.",
                    recovery: "Install “\(detectors.asset.id)” again.")
                return EngineFinder.Failure(engine: id, model: detectors.asset.id, error: error)
            }
        }
        return candidate
    }
}
