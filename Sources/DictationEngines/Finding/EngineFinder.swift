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
///     case .missing(let missing): print(missing.error, missing.remedies)
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

    /// Creates a finder for live dictation in a locale.
    public init(locale: SpeechLocale, store: ModelStore = .standard) {
        self.init(options: .liveDictation(locale), store: store)
    }

    /// Creates a finder for the engines of this build and the models of a store.
    public init(options: RecognitionOptions, store: ModelStore = .standard) {
        #if ModelCatalog
        let inventory = CatalogAssetInventory(store: store)
        #else
        let inventory: (any AssetInventory)? = nil
        #endif
        self.init(options: options, candidates: BuiltInEngines.candidates(store: store), inventory: inventory)
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

    /// Returns the best engine, which has not loaded its model yet.
    ///
    /// - Throws: The ``MissingEngine/error`` if no engine was found.
    public func engine() async throws(DictationError) -> any SpeechEngine {
        switch await search() {
        case .found(let found): return found.engine
        case .missing(let missing): throw missing.error
        }
    }

    /// Returns the best engine, or the reasons why there is none.
    public func search() async -> EngineSearch {
        var failures: [EngineFailure] = []
        for candidate in considered {
            do throws(DictationError) {
                for model in try models(of: candidate) {
                    do throws(DictationError) { return .found(try await open(model, of: candidate)) } catch {
                        failures.append(EngineFailure(engine: candidate.id, model: model.name, error: error))
                    }
                }
            } catch {
                failures.append(EngineFailure(engine: candidate.id, error: error))
            }
        }
        return .missing(await missing(after: failures))
    }

    /// The candidates that ``requiredEngine`` and ``modelFolder`` allow.
    private var considered: [EngineCandidate] {
        if let requiredEngine { return candidates.filter { $0.id == requiredEngine } }
        guard let modelFolder else { return candidates }
        return candidates.filter { $0.recognizes(modelFolder) }
    }

    private func models(of candidate: EngineCandidate) throws(DictationError) -> [EngineModel] {
        if let trait = candidate.missingTrait { throw .notBuilt(candidate.id, trait: trait) }
        if let modelFolder { return [try candidate.model(in: modelFolder, for: options.locale)] }
        let models = candidate.models().filter { $0.locales.contains(options.locale) }
        guard !models.isEmpty else { throw .noModel(of: candidate.id, for: options.locale) }
        return models
    }

    private func open(_ model: EngineModel, of candidate: EngineCandidate) async throws(DictationError) -> FoundEngine {
        let engine = try model.open()
        try engine.capabilities.validate(options, engine: candidate.id.rawValue)
        try await engine.validate(options.locale)
        return FoundEngine(id: candidate.id, engine: engine, model: model.name)
    }
}

// MARK: Remedies

extension EngineFinder {
    private func missing(after failures: [EngineFailure]) async -> MissingEngine {
        let built = considered.filter { $0.missingTrait == nil }
        let traits = considered.compactMap { candidate in
            candidate.missingTrait.map { EngineRemedy.enableTrait($0, engine: candidate.id) }
        }
        var unique: [EngineRemedy] = []
        for trait in await assets(for: built.map(\.id)) + traits + installedLocales(of: built)
        where !unique.contains(trait) { unique.append(trait) }
        return MissingEngine(
            locale: options.locale, requiredEngine: requiredEngine, modelFolder: modelFolder, failures: failures,
            remedies: unique)
    }

    /// Returns the models to install: for the locale, then for other locales of the same language. Within a locale,
    /// models with known hashes come before unpinned ones, each in the order of the engines.
    private func assets(for engines: [EngineID]) async -> [EngineRemedy] {
        guard modelFolder == nil, let inventory, let known = try? await inventory.assets() else { return [] }
        var remedies: [EngineRemedy] = []
        for locale in near(known.flatMap(\.locales)) where locale.language == options.locale.language {
            let suited = engines.flatMap { engine in
                known.filter { $0.engine == engine && $0.locales.contains(locale) }
            }
            for asset in suited.filter(\.isPinned) + suited.filter({ !$0.isPinned }) {
                guard await inventory.status(of: asset.id) == .supported else { continue }
                remedies.append(.install(asset, for: locale, package: Self.package(of: asset)))
            }
        }
        return remedies
    }

    /// Returns the system package of a model that can't be downloaded.
    private static func package(of asset: ModelAsset) -> String? {
        ModelCatalog.builtIn.models.first { $0.id == asset.id && $0.downloads == nil }?.packaged?.name
    }

    private func installedLocales(of candidates: [EngineCandidate]) -> [EngineRemedy] {
        guard modelFolder == nil else { return [] }
        let locales = near(candidates.flatMap { $0.models().flatMap(\.locales) })
        return locales.filter { $0 != options.locale }.map { .useLocale($0) }
    }

    /// Returns each locale once: the requested one, then those of the same language, then the others.
    private func near(_ locales: [SpeechLocale]) -> [SpeechLocale] {
        func distance(_ other: SpeechLocale) -> Int {
            other == options.locale ? 0 : other.language == options.locale.language ? 1 : 2
        }
        return Set(locales).sorted { (distance($0), $0) < (distance($1), $1) }
    }
}
