public import DictationCore

/// An engine that an ``EngineFinder`` can choose, and the models that it has on this machine.
///
/// A test or an app can make one of any engine:
///
///     let candidate = EngineCandidate("our-engine", models: [
///         EngineModel(name: "small", locales: ["en-US"]) { ScriptedEngine(name: "our-engine") }
///     ])
public struct EngineCandidate: Sendable {
    /// The name of the engine.
    public let id: EngineID
    /// The trait to enable; `nil` when this build has the engine.
    public let missingTrait: String?

    private let installed: @Sendable () -> [EngineModel]
    private let isFolder: @Sendable (String) -> Bool
    private let opening: @Sendable (String, SpeechLocale) throws(DictationError) -> EngineModel

    /// Creates a candidate with a list of models.
    public init(_ id: EngineID, models: [EngineModel]) {
        self.init(id, models: { models }, model: { folder, _ throws(DictationError) in throw .noFolders(id, folder) })
    }

    /// Creates a candidate that looks for its models when asked.
    ///
    /// - Parameters:
    ///   - id: The name of the engine.
    ///   - models: Returns the installed models, the first choice first.
    ///   - recognizes: Whether a folder can hold a model of this engine; a quick look that opens no model.
    ///   - model: Returns the model in a folder for a locale.
    public init(
        _ id: EngineID, models: @escaping @Sendable () -> [EngineModel],
        recognizes: @escaping @Sendable (String) -> Bool = { _ in true },
        model: @escaping @Sendable (String, SpeechLocale) throws(DictationError) -> EngineModel
    ) {
        self.id = id
        missingTrait = nil
        installed = models
        isFolder = recognizes
        opening = model
    }

    /// Creates a candidate that this build lacks.
    public init(_ id: EngineID, missingTrait: String) {
        self.id = id
        self.missingTrait = missingTrait
        installed = { [] }
        isFolder = { _ in true }
        opening = { _, _ throws(DictationError) in throw .notBuilt(id, trait: missingTrait) }
    }

    /// Returns the installed models, the first choice first.
    public func models() -> [EngineModel] { installed() }

    /// Whether a folder can hold a model of this engine.
    public func recognizes(_ folder: String) -> Bool { isFolder(folder) }

    /// Returns the model in a folder, for a locale where the model doesn't name one.
    public func model(in folder: String, for locale: SpeechLocale) throws(DictationError) -> EngineModel {
        try opening(folder, locale)
    }
}

/// A model on this machine, and the engine that runs it.
public struct EngineModel: Sendable {
    /// The name of the model; `nil` for an engine without models.
    public let name: String?
    /// The locales that the model is for.
    public let locales: [SpeechLocale]
    private let opening: @Sendable () throws(DictationError) -> any SpeechEngine

    /// Creates a model; the closure makes the engine, without loading the model.
    public init(
        name: String?, locales: [SpeechLocale],
        open: @escaping @Sendable () throws(DictationError) -> any SpeechEngine
    ) {
        self.name = name
        self.locales = locales
        opening = open
    }

    /// Makes the engine for the model.
    public func open() throws(DictationError) -> any SpeechEngine {
        do throws(DictationError) { return try opening() } catch { throw error.asModelError }
    }
}

extension DictationError {
    static func notBuilt(_ engine: EngineID, trait: String) -> DictationError {
        DictationError(
            .notBuilt, "This build does not have the engine '\(engine)'.",
            recovery: "Enable the '\(trait)' trait of swift-dictation and build again.")
    }

    static func noModel(of engine: EngineID, for locale: SpeechLocale) -> DictationError {
        DictationError(
            .modelNotInstalled, "No model of \(engine) for \(locale) is installed.",
            recovery: "EngineFinder.search() says which can be.")
    }

    fileprivate static func noFolders(_ engine: EngineID, _ folder: String) -> DictationError {
        DictationError(
            .modelInvalid, "The engine '\(engine)' can't read a model from the folder '\(folder)'.",
            recovery: "Use one of its installed models.")
    }

    /// A file that can't be read here belongs to a model, not to a recording.
    var asModelError: DictationError {
        guard code == .fileUnreadable else { return self }
        var error = self
        error.code = .modelInvalid
        return error
    }
}
