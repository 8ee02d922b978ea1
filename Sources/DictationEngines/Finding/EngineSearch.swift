public import DictationCore

/// What an ``EngineFinder`` found.
public enum EngineSearch: Sendable {
    /// The best engine that can do what the options ask for.
    case found(FoundEngine)
    /// No engine can, and why.
    case missing(MissingEngine)
}

/// An engine with a model.
public struct FoundEngine: Sendable {
    /// The name of the engine.
    public let id: EngineID
    /// The engine; its model is not loaded yet.
    public let engine: any SpeechEngine
    /// The name of the model; `nil` for an engine without models.
    public let model: String?

    /// Creates the answer of a search.
    public init(id: EngineID, engine: any SpeechEngine, model: String? = nil) {
        self.id = id
        self.engine = engine
        self.model = model
    }
}

/// Why no engine was found, and what would help.
public struct MissingEngine: Sendable {
    /// The language asked for.
    public let locale: SpeechLocale
    /// The only engine that was allowed.
    public let requiredEngine: EngineID?
    /// The folder of the only model that was allowed.
    public let modelFolder: String?
    /// Why each engine or model was not chosen, in the order in which they were tried.
    public let failures: [EngineFailure]
    /// What would help, the best first.
    public let remedies: [EngineRemedy]

    /// Whether nothing but a model is missing: no installed model was refused for another reason than its language.
    public var isModelMissing: Bool {
        modelFolder == nil && failures.contains { $0.error.code != .notBuilt }
            && failures.allSatisfy { [.modelNotInstalled, .unsupportedLocale, .notBuilt].contains($0.error.code) }
    }

    /// The error to show: that a model is missing and how to get one, or the failure that says most.
    public var error: DictationError {
        if isModelMissing {
            let engine = requiredEngine.map { " of \($0)" } ?? ""
            return DictationError(
                .modelNotInstalled, "No model\(engine) for \(locale) is installed.",
                recovery: remedies.first?.advice ?? "Install a model, or use another engine.")
        }
        // An installed engine that can't do it says more than one that is missing.
        let errors = failures.map(\.error)
        let telling: [DictationError.Code] = [.unsupportedOption, .invalidInput, .unsupportedLocale]
        return errors.first { telling.contains($0.code) } ?? errors.first { $0.code != .notBuilt } ?? errors.first
            ?? DictationError(
                .notBuilt, "There is no engine\(requiredEngine.map { " '\($0)'" } ?? "") to choose.",
                recovery: "Give EngineFinder other candidates, or no required engine.")
    }
}

/// Why an engine or a model was not chosen.
public struct EngineFailure: Sendable, Hashable {
    /// The engine.
    public let engine: EngineID
    /// The model; `nil` when the engine has none for the language.
    public let model: String?
    /// The reason.
    public let error: DictationError

    /// Creates a failure.
    public init(engine: EngineID, model: String? = nil, error: DictationError) {
        self.engine = engine
        self.model = model
        self.error = error
    }
}

/// What would make an engine available.
public enum EngineRemedy: Sendable, Hashable {
    /// Install a model. Its `byteCount` says how large it is, and an asset that is not pinned needs the user's consent.
    /// Where `package` is not `nil`, the model comes only with that package of the system.
    case install(ModelAsset, for: SpeechLocale, package: String?)
    /// Build the app with a trait of swift-dictation.
    case enableTrait(String, engine: EngineID)
    /// Use another language, which has an installed model.
    case useLocale(SpeechLocale)

    /// What to do, in a sentence.
    var advice: String {
        switch self {
        case .install(let asset, let locale, let package?):
            "Install the package '\(package)' for \(locale), '\(asset.name)'."
        case .install(let asset, let locale, nil): "Install the model '\(asset.id)' for \(locale)."
        case .enableTrait(let trait, let engine):
            "Enable the '\(trait)' trait of swift-dictation for the engine '\(engine)'."
        case .useLocale(let locale): "Choose \(locale), which has a model."
        }
    }
}
