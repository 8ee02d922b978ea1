public import DictationCore

extension EngineFinder {
    /// The result of a search by an ``EngineFinder``.
    public enum Search: Sendable {
        /// The best engine that supports all of the options.
        case found(FoundEngine)
        /// No engine was found.
        case missing(EngineFinder.Missing)
    }
}

/// An engine with a model for the search.
///
/// It is an engine itself, which remembers for which options it was found: a recording that is transcribed without options
/// gets these, so that nothing that the search asked for is missing.
public struct FoundEngine: Sendable {
    /// The name of the engine.
    public let id: EngineID
    /// The engine, which has not loaded its model yet.
    public let engine: any SpeechEngine
    /// The name of the model; `nil` for an engine without models.
    public let model: String?
    /// The better engines with an installed model that do not work, for example because their library is damaged, or that
    /// do not support an option, and ``losses``. Tell the user, who would otherwise get worse text without a reason.
    public let failures: [EngineFinder.Failure]
    /// What the engine does without because its files changed. ``failures`` has it, too.
    public internal(set) var losses: [EngineFinder.Failure] = []
    /// The options of the search.
    public let options: RecognitionOptions
    /// The names of the models that the engine uses.
    var models: [String]
    /// The libraries that the engine uses.
    var libraries: [EngineCandidate.Library] = []

    /// Creates the result of a successful search.
    public init(
        id: EngineID, engine: any SpeechEngine, model: String? = nil, failures: [EngineFinder.Failure] = [],
        options: RecognitionOptions = .fileTranscription()
    ) {
        self.id = id
        self.engine = engine
        self.model = model
        self.failures = failures
        self.options = options
        models = [model].compactMap(\.self)
    }
}

extension EngineFinder {
    /// The reasons why no engine was found, and the remedies.
    public struct Missing: Sendable {
        /// The requested locale.
        public let locale: SpeechLocale
        /// The only engine that the search considered; `nil` for any.
        public let requiredEngine: EngineID?
        /// The folder of the only model that the search considered; `nil` for the installed models.
        public let modelFolder: String?
        /// The reason why each engine or model was not chosen, in the order of the search.
        public let failures: [EngineFinder.Failure]
        /// The actions that would help, the best first: a model or another build for the locale, then a locale with an
        /// installed model, those of the same language first.
        public let remedies: [EngineFinder.Remedy]
        /// Whether an engine of the search has a model for the locale, installed or not.
        let isModelKnown: Bool

        /// Whether only a model for the locale is missing. `false` if a model folder was given, or if an installed model
        /// failed for another reason than its locale.
        public var isModelMissing: Bool {
            let codes = failures.map(\.error.code)
            let isOfModel: (DictationError.Code) -> Bool = { $0 == .modelNotInstalled || $0 == .unsupportedLocale }
            return modelFolder == nil && codes.contains(where: isOfModel)
                && codes.allSatisfy { isOfModel($0) || Self.absences.contains($0) }
        }

        /// The errors of an engine that does not exist on this machine.
        static let absences: [DictationError.Code] = [.libraryNotInstalled, .libraryInvalid, .notBuilt]

        /// The error to show: a missing model and the best remedy, or the most helpful of the failures.
        public var error: DictationError {
            if isModelMissing {
                let engine = requiredEngine.map { " of \($0)" } ?? ""
                return DictationError(
                    .modelNotInstalled, "No model\(engine) for \(locale) is \(isModelKnown ? "installed" : "known").",
                    recovery: remedies.first?.description
                        ?? (isModelKnown
                            ? "Install a model, or use another engine."
                            : "Use another locale, or add a catalog that has a model."))
            }
            // Of engines that were offered one folder, one that takes it for its model knows more about it.
            let takers = failures.filter { modelFolder != nil && $0.model != nil }
            // The error of an installed engine helps more than the error of a missing one.
            let errors = (takers.isEmpty ? failures : takers).map(\.error)
            let telling: [DictationError.Code] = [.unsupportedOption, .invalidInput, .unsupportedLocale]
            return errors.first { telling.contains($0.code) } ?? errors.first { $0.code == .modelInvalid }
                ?? errors.first { !Self.absences.contains($0.code) }
                ?? errors.first { $0.code != .notBuilt } ?? errors.first
                ?? DictationError(
                    .notBuilt, "No engine\(requiredEngine.map { " “\($0)”" } ?? "") is available.",
                    recovery: "Give EngineFinder other candidates, or set requiredEngine to nil.")
        }
    }
}

extension EngineFinder {
    /// The reason why an engine or a model was not chosen.
    public struct Failure: Sendable, Hashable {
        /// The name of the engine.
        public let engine: EngineID
        /// The name of the model; `nil` if the engine has no model for the locale.
        public let model: String?
        /// The error of the engine or model.
        public let error: DictationError

        /// Creates a failure.
        public init(engine: EngineID, model: String? = nil, error: DictationError) {
            self.engine = engine
            self.model = model
            self.error = error
        }

        /// Whether the engine has a model for the locale.
        var isOfInstalledEngine: Bool { model != nil && ![.unsupportedLocale, .invalidInput].contains(error.code) }
    }
}
