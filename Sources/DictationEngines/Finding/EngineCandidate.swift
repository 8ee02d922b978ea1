public import DictationCore

/// An engine that an ``EngineFinder`` can choose, and its models on this machine.
///
/// Tests and apps can create candidates of their own:
///
///     let candidate = EngineCandidate("our-engine", models: [
///         EngineCandidate.Model(name: "small", locales: ["en-US"]) { ScriptedEngine(name: "our-engine") }
///     ])
public struct EngineCandidate: Sendable {
    /// The name of the engine.
    public let id: EngineID
    /// The trait that adds the engine to the build; `nil` if the build has the engine.
    public let missingTrait: String?
    /// The library that the engine needs at run time; `nil` if it needs none.
    public let library: EngineCandidate.Library?
    /// The engines that this candidate joins to one; empty for a single engine.
    let joined: [EngineCandidate]
    /// Returns the installed models that can't be used because their files changed, and that support a locale.
    var damages: @Sendable (SpeechLocale) -> [EngineFinder.Failure] = { _ in [] }

    /// Returns what the engine does without because its files changed.
    var losses: @Sendable () -> [EngineFinder.Failure] = { [] }

    private let installed: @Sendable () -> [EngineCandidate.Model]
    private let isFolder: @Sendable (String) -> Bool
    private let opening: @Sendable (String, SpeechLocale) throws(DictationError) -> EngineCandidate.Model

    /// Creates a candidate with a fixed list of models, in order of preference.
    public init(_ id: EngineID, models: [EngineCandidate.Model]) {
        self.init(id, models: { models }, model: { folder, _ throws(DictationError) in throw .noFolders(id, folder) })
    }

    /// Creates a candidate that finds its models at each search.
    ///
    /// - Parameters:
    ///   - id: The name of the engine.
    ///   - library: The library that the engine needs at run time; `nil` if it needs none.
    ///   - models: Returns the installed models, in order of preference.
    ///   - recognizes: Returns whether a folder may contain a model of this engine, without opening the model.
    ///   - model: Returns the model in a folder. The locale applies if the model does not name its own.
    public init(
        _ id: EngineID, library: EngineCandidate.Library? = nil,
        models: @escaping @Sendable () -> [EngineCandidate.Model],
        recognizes: @escaping @Sendable (String) -> Bool = { _ in true },
        model: @escaping @Sendable (String, SpeechLocale) throws(DictationError) -> EngineCandidate.Model
    ) {
        self.id = id
        self.library = library
        missingTrait = nil
        joined = []
        installed = models
        isFolder = recognizes
        opening = model
    }

    /// Creates a candidate for an engine that this build does not have.
    ///
    /// - Parameters:
    ///   - id: The name of the engine.
    ///   - missingTrait: The trait that adds the engine to the build.
    public init(_ id: EngineID, missingTrait: String) {
        self.id = id
        self.missingTrait = missingTrait
        library = nil
        joined = []
        installed = { [] }
        isFolder = { _ in true }
        opening = { _, _ throws(DictationError) in throw .notBuilt(id, trait: missingTrait) }
    }

    /// Creates a candidate whose models are those of other candidates, joined.
    init(
        _ id: EngineID, joining candidates: [EngineCandidate], models: @escaping @Sendable () -> [EngineCandidate.Model]
    ) {
        self.id = id
        missingTrait = nil
        library = nil
        joined = candidates
        installed = models
        isFolder = { _ in false }
        opening = { folder, _ throws(DictationError) in throw .noFolders(id, folder) }
    }

    /// Returns the installed models, in order of preference.
    public func models() -> [EngineCandidate.Model] { installed() }

    /// Returns whether a folder may contain a model of this engine.
    public func recognizes(_ folder: String) -> Bool { isFolder(folder) }

    /// Returns the model in a folder.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - locale: The model's locale if the model does not name its own.
    /// - Throws: `modelInvalid` if the folder has no model of this engine, `unsupportedLocale` if its model is for
    ///   another locale, `notBuilt` if this build does not have the engine.
    public func model(in folder: String, for locale: SpeechLocale) throws(DictationError) -> EngineCandidate.Model {
        try opening(folder, locale)
    }
}

extension EngineCandidate {
    /// A library that an engine loads when the program runs.
    public struct Library: Sendable {
        /// The name of the library.
        public let name: String
        /// The asset that installs the library; `nil` if an inventory can't install it.
        public let asset: ModelAsset.ID?
        private let loading: @Sendable () throws(DictationError) -> Void
        /// Checks that the library works without loading it; `nil` if only loading it can tell.
        var checking: (@Sendable () throws(DictationError) -> Void)?

        /// Creates a library.
        ///
        /// - Parameters:
        ///   - name: The name of the library.
        ///   - asset: The asset that installs the library; `nil` if an inventory can't install it.
        ///   - load: Loads the library, unless it is loaded already.
        public init(
            name: String, asset: ModelAsset.ID? = nil, load: @escaping @Sendable () throws(DictationError) -> Void
        ) {
            self.name = name
            self.asset = asset
            loading = load
        }

        /// Loads the library, unless it is loaded already.
        ///
        /// - Throws: `libraryNotInstalled` or `libraryInvalid`.
        public func load() throws(DictationError) { try loading() }

        /// Loads the library on a thread of its own, because that reads files and may start a helper. If the engine has a
        /// process of its own, only checks the library.
        func loadOnThread(inHelper isInHelper: Bool) async throws(DictationError) {
            let work = isInHelper ? checking ?? loading : loading
            try await BlockingWork("library").run { () throws(DictationError) in try work() }
        }
    }
}

extension EngineCandidate {
    /// A model on this machine, and the engine that runs it.
    public struct Model: Sendable {
        /// The name of the model; `nil` for an engine without models.
        public let name: String?
        /// The locales that the model supports.
        public let locales: [SpeechLocale]
        /// The libraries that the engine needs besides that of its candidate.
        var libraries: [EngineCandidate.Library] = []
        /// The names of the models that this one joins; empty for a single model.
        var joinedNames: [String] = []
        /// The names of the models that the engine uses.
        var names: [String] { joinedNames.isEmpty ? [name].compactMap(\.self) : joinedNames }
        /// How the engine comes into being.
        enum Origin: Sendable {
            /// Only in this process.
            case opening(@Sendable () throws(DictationError) -> any SpeechEngine)
            /// Here, with a retention, or in a process of its own.
            case describing(ModelRetention?, @Sendable () throws(DictationError) -> EngineDescription)
        }

        let origin: Origin

        /// Creates a model.
        ///
        /// - Parameters:
        ///   - name: The name of the model; `nil` for an engine without models.
        ///   - locales: The locales that the model supports.
        ///   - open: Returns the engine, without loading the model.
        public init(
            name: String?, locales: [SpeechLocale],
            open: @escaping @Sendable () throws(DictationError) -> any SpeechEngine
        ) {
            self.init(name: name, locales: locales, .opening(open))
        }

        init(name: String?, locales: [SpeechLocale], _ origin: Origin) {
            (self.name, self.locales, self.origin) = (name, locales, origin)
        }

        /// Whether the engine can have a process of its own.
        var isDescribed: Bool { if case .describing = origin { true } else { false } }

        /// Returns the engine, which has not loaded the model yet.
        ///
        /// - Parameter helper: The configuration of the engine's own process; `nil` for an engine in this process. It counts
        ///   only for the models of ``BuiltInEngines``.
        /// - Throws: `modelInvalid` if the model's files can't be read.
        public func open(inHelper helper: HelperEngine.Configuration? = nil) throws(DictationError) -> any SpeechEngine
        {
            do throws(DictationError) {
                switch origin {
                case .opening(let open): return try open()
                case .describing(let retention, let describe):
                    let description = try describe()
                    guard let helper else { return try description.makeEngine(in: .app(retention)) }
                    return HelperEngine(description, configuration: helper)
                }
            } catch {
                throw error.asModelError
            }
        }
    }
}

extension DictationError {
    static func notBuilt(_ engine: EngineID, trait: String) -> DictationError {
        DictationError(
            .notBuilt, "This build does not have the engine “\(engine)”.",
            recovery: "Enable the “\(trait)” trait of swift-dictation and build again.")
    }

    static func noModel(of engine: EngineID, for locale: SpeechLocale) -> DictationError {
        DictationError(
            .modelNotInstalled, "No model of \(engine) for \(locale) is installed.",
            recovery: "Install a model for it, or use another engine or locale.")
    }

    fileprivate static func noFolders(_ engine: EngineID, _ folder: String) -> DictationError {
        DictationError(
            .modelInvalid, "The engine “\(engine)” can't read a model from the folder “\(folder)”.",
            recovery: "Use one of the engine's installed models.")
    }

    /// The error with the code `modelInvalid` for an unreadable file, because the file belongs to a model.
    var asModelError: DictationError {
        guard code == .fileUnreadable else { return self }
        var error = self
        error.code = .modelInvalid
        return error
    }
}
