import DictationCore
import DictationEngines
import DictationModels

/// A model on this machine, and the engine that can be had with it.
struct FoundModel: Sendable {
    let name: String
    let locales: [SpeechLocale]
    let choice: @Sendable () throws(DictationError) -> EngineChoice
}

extension EngineFinder {
    /// The models on this machine for an engine, in the order in which they are chosen.
    func models(of engine: EngineName) -> [FoundModel] {
        guard EngineName.builtIn.contains(engine) else { return [] }
        let stored = store.models(engine: engine.id)
        let found = stored.map { model in
            FoundModel(name: FilePath.lastName(of: model.folder), locales: model.asset.locales) {
                () throws(DictationError) in
                try EngineFinder(locale: model.asset.locales.first ?? locale, model: model.folder).choice(of: engine)
            }
        }
        guard engine == .pocketSphinx else { return found }
        let others = PocketSphinxModel.installed().filter { model in
            !stored.contains { FilePath.isBelow(model.folder, $0.folder) }
        }
        return found
            + others.map { model in
                FoundModel(name: model.name, locales: [model.locale]) { () throws(DictationError) in
                    EngineChoice(engine: PocketSphinxEngine(models: [model]), model: model.name)
                }
            }
    }

    /// Throws when a model's folder says that it is for another locale.
    func check(_ folder: String, isFor locales: [SpeechLocale]) throws(DictationError) {
        let isRight = locales.contains {
            $0 == locale || ($0.identifier == $0.language && $0.language == locale.language)
        }
        guard !isRight, let first = locales.first else { return }
        throw DictationError(
            .unsupportedLocale, "The model in '\(folder)' is for \(first), not for \(locale).",
            recovery: "Say --locale \(first), or give a model for \(locale).")
    }
}

extension EngineName {
    /// Those of this build that have models.
    static var builtIn: [EngineName] {
        #if SherpaOnnx
        byQuality
        #else
        [.pocketSphinx]
        #endif
    }
}
