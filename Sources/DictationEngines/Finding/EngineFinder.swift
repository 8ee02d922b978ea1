public import DictationCore
public import DictationModels

/// Finds the best installed engine for a locale and other options.
///
///     let engine = try await EngineFinder(locale: "en-US").engine()
///
/// The best engine is the first of the ``candidates`` with an installed model that supports all of the options. If no
/// engine does, ``search()`` returns the reasons and the remedies:
///
///     switch await EngineFinder(locale: "de-DE").search() {
///     case .found(let found): print(found.engine.name, found.model ?? "")
///     case .missing(let missing):
///         print(missing.error)
///         for remedy in missing.remedies { print(remedy) }
///     }
public struct EngineFinder: Sendable {
    /// The locale, and the options that the engine must support.
    public var options: RecognitionOptions
    /// The only engine to consider; `nil` for any.
    public var requiredEngine: EngineID?
    /// The folder of the only model to consider; `nil` for the installed models.
    public var modelFolder: String?
    /// The engines to choose from, in order of preference.
    public var candidates: [EngineCandidate]
    /// The inventory of models that can be installed; `nil` to suggest none.
    public var inventory: (any AssetInventory)?
    /// The configuration of a process for the engine; `nil` for an engine in this process. See ``HelperEngine``.
    public var helper: HelperEngine.Configuration?

    /// Creates a finder for live dictation in a locale.
    public init(locale: SpeechLocale, store: ModelStore = .standard) {
        self.init(options: .liveDictation(locale), store: store)
    }

    /// Creates a finder for the engines of this build and the models of a store.
    ///
    /// - Parameters:
    ///   - options: The locale, and the options that the engine must support.
    ///   - store: The installed models.
    ///   - retention: How long the engine keeps its model in memory; `nil` is the engine's usual time.
    public init(options: RecognitionOptions, store: ModelStore = .standard, retention: ModelRetention? = nil) {
        #if ModelCatalog
        let inventory = CatalogAssetInventory(store: store)
        #else
        let inventory: (any AssetInventory)? = nil
        #endif
        self.init(
            options: options, candidates: BuiltInEngines.candidates(store: store, retention: retention),
            inventory: inventory)
    }

    /// Creates a finder for your own candidates.
    ///
    /// - Parameters:
    ///   - options: The locale, and the options that the engine must support.
    ///   - candidates: The engines to choose from, in order of preference.
    ///   - inventory: The inventory of models that can be installed; `nil` to suggest none.
    public init(
        options: RecognitionOptions, candidates: [EngineCandidate], inventory: (any AssetInventory)? = nil
    ) {
        self.options = options
        self.candidates = candidates
        self.inventory = inventory
    }

    /// Returns the best engine, which has not loaded its model yet. ``search()`` also returns the model's name.
    ///
    /// A recording that the engine transcribes without options gets those of the search.
    ///
    /// - Throws: The ``EngineFinder/Missing/error`` if no engine was found.
    public func engine() async throws(DictationError) -> any SpeechEngine {
        switch await search() {
        case .found(let found): return found
        case .missing(let missing): throw missing.error
        }
    }

    /// Returns the locale of an installed model for a language without a region: `en-US` for `en`.
    ///
    /// An engine serves the locales of its models. A user who names only the language wants any of them.
    ///
    /// - Returns: The locale of the options if a model serves it, if it has a region, or if no model has its language.
    public func installedLocale() -> SpeechLocale {
        let locale = options.locale
        guard locale.identifier == locale.language, modelFolder == nil else { return locale }
        let served = considered.filter { $0.missingTrait == nil }.flatMap { $0.models() }.map(\.locales)
        guard !served.contains(where: { $0.contains(locale) }) else { return locale }
        let usual = SpeechLocale.common(ofLanguage: locale.language)
        let locales = served.first { $0.contains { $0.language == locale.language } } ?? []
        return usual.first(where: locales.contains) ?? locales.first { $0.language == locale.language } ?? locale
    }

    /// Returns the best engine, or the reasons why there is none.
    public func search() async -> EngineFinder.Search {
        var failures: [EngineFinder.Failure] = []
        for candidate in considered {
            if modelFolder == nil { failures += candidate.damages(options.locale) }
            do throws(DictationError) {
                for model in try models(of: candidate) {
                    do throws(DictationError) {
                        return .found(try await open(model, of: candidate, after: failures))
                    } catch {
                        failures.append(EngineFinder.Failure(engine: candidate.id, model: model.name, error: error))
                    }
                }
            } catch {
                failures.append(EngineFinder.Failure(engine: candidate.id, error: error))
            }
        }
        return .missing(await missing(after: failures))
    }

    /// The candidates that ``requiredEngine`` and ``modelFolder`` allow.
    var considered: [EngineCandidate] {
        if let requiredEngine { return candidates.filter { $0.id == requiredEngine } }
        guard let modelFolder else { return candidates.filter { options.task == .dictation || !$0.joinsEngines } }
        return candidates.filter { $0.recognizes(modelFolder) }
    }

    private func models(of candidate: EngineCandidate) throws(DictationError) -> [EngineCandidate.Model] {
        if let trait = candidate.missingTrait { throw .notBuilt(candidate.id, trait: trait) }
        if let modelFolder { return [try candidate.model(in: modelFolder, for: options.locale)] }
        let models = candidate.models().filter { $0.locales.contains(options.locale) }
        guard !models.isEmpty else { throw .noModel(of: candidate.id, for: options.locale) }
        return models
    }

    private func open(
        _ model: EngineCandidate.Model, of candidate: EngineCandidate, after failures: [EngineFinder.Failure]
    ) async throws(DictationError) -> FoundEngine {
        let libraries = [candidate.library].compactMap(\.self) + model.libraries
        let isInHelper = helper != nil && model.isDescribed
        for library in libraries { try await library.loadOnThread(inHelper: isInHelper) }
        let engine = try model.open(inHelper: helper)
        try engine.capabilities.validate(options, engine: candidate.id.rawValue)
        try await engine.validate(options.locale)
        let losses = options.task == .dictation ? candidate.parts.flatMap { $0.losses() } : []
        var found = FoundEngine(
            id: candidate.id, engine: engine, model: model.name,
            failures: failures.filter(\.isOfInstalledEngine) + losses, options: options)
        found.losses = losses
        found.models = model.names
        found.libraries = libraries
        return found
    }
}
