import DictationCore
import DictationModels

extension EngineFinder {
    /// Returns why there is no engine, and what would help.
    func missing(after failures: [EngineFinder.Failure]) async -> EngineFinder.Missing {
        let known = await knownModels()
        let serving = Set(known.filter { $0.locales.contains(options.locale) }.map(\.engine))
        let isServed = parts.contains { serving.contains($0.id) } || failures.contains { $0.model != nil }
        let libraries = await missingLibraries(for: serving, after: failures)
        let models = await installations(of: known, for: options.locale)
        let others = await otherLocales(besides: known)
        // A language alone is mostly meant as one of its locales.
        let isLanguage = options.locale.identifier == options.locale.language
        let meant = others.prefix { remedy in
            if case .useLocale(let other) = remedy { isLanguage && isSameLanguage(other) } else { false }
        }
        let remedies =
            meant + models.filter { !$0.installs(forAnyOf: libraries.engines) } + libraries.remedies
            + models.filter { $0.installs(forAnyOf: libraries.engines) } + traits(for: serving)
            + others.dropFirst(meant.count)
        return EngineFinder.Missing(
            locale: options.locale, requiredEngine: requiredEngine, modelFolder: modelFolder, failures: failures,
            remedies: remedies, isModelKnown: isServed)
    }

    /// Returns the models that the inventory knows. Without an inventory, these are the models of the built-in catalog,
    /// because they tell for which engines another build would help.
    private func knownModels() async -> [ModelAsset] {
        if let known = try? await inventory?.assets() { return known }
        return ModelCatalog.builtIn.models.map {
            ModelAsset(id: $0.id, engine: $0.engine, locales: $0.locales, name: $0.name)
        }
    }

    /// Returns the models to install for a locale. Models with known hashes come before unpinned ones, each in the
    /// order of the engines.
    private func installations(of known: [ModelAsset], for locale: SpeechLocale) async -> [EngineFinder.Remedy] {
        guard modelFolder == nil, let inventory else { return [] }
        let suited = built.flatMap { candidate in
            known.filter { $0.engine == candidate.id && $0.locales.contains(locale) }
        }
        var remedies: [EngineFinder.Remedy] = []
        for asset in suited.filter(\.isPinned) + suited.filter({ !$0.isPinned }) {
            guard await inventory.status(of: asset.id) == .supported else { continue }
            remedies.append(.install(asset, for: locale, package: Self.package(of: asset)))
        }
        return remedies
    }

    /// Returns the system package of a model that can't be downloaded.
    private static func package(of asset: ModelAsset) -> String? {
        ModelCatalog.builtIn.models.first { $0.id == asset.id && $0.downloads == nil }?.packaged?.name
    }

    /// Returns the engines whose library can't be loaded, among the engines with a model for the locale, and a remedy
    /// for each library.
    private func missingLibraries(
        for serving: Set<EngineID>, after failures: [EngineFinder.Failure]
    ) async -> (engines: Set<EngineID>, remedies: [EngineFinder.Remedy]) {
        let absent = Set(failures.filter { EngineFinder.Missing.absences.contains($0.error.code) }.map(\.engine))
        let suited = serving.union(considered.filter { absent.contains($0.id) }.flatMap(\.parts).map(\.id))
        var (engines, names): (Set<EngineID>, Set<String>) = ([], [])
        var remedies: [EngineFinder.Remedy] = []
        for candidate in parts where suited.contains(candidate.id) {
            guard let library = candidate.library else { continue }
            do throws(DictationError) { try await library.loadOnThread(inHelper: helper != nil) } catch {
                engines.insert(candidate.id)
                // One installation helps every engine of the library.
                guard names.insert(library.name).inserted else { continue }
                let advice = error.recovery ?? error.message
                remedies.append(.installLibrary(library.name, engine: candidate.id, advice: advice))
            }
        }
        return (engines, remedies)
    }

    /// Returns each trait once that adds an engine with a model for the locale, or the engine that was asked for.
    private func traits(for serving: Set<EngineID>) -> [EngineFinder.Remedy] {
        let isAskedFor = requiredEngine != nil || modelFolder != nil
        var seen: Set<String> = []
        return parts.compactMap { candidate in
            guard let trait = candidate.missingTrait, isAskedFor || serving.contains(candidate.id),
                seen.insert(trait).inserted
            else { return nil }
            return .enableTrait(trait, engine: candidate.id)
        }
    }

    /// Returns the installed locales of the same language, then models to install for more of them, then the other
    /// installed locales.
    private func otherLocales(besides known: [ModelAsset]) async -> [EngineFinder.Remedy] {
        guard modelFolder == nil else { return [] }
        let installed = Set(built.flatMap { $0.models().flatMap(\.locales) }).subtracting([options.locale])
        // A model for the locale itself is a better remedy, and one model can serve many locales.
        var others = known.filter { !$0.locales.contains(options.locale) }
        let absent = Set(others.flatMap(\.locales)).subtracting(installed)
        var remedies = installed.filter(isSameLanguage).sorted().map(EngineFinder.Remedy.useLocale)
        for locale in absent.filter(isSameLanguage).sorted() {
            remedies += await installations(of: others, for: locale)
            others.removeAll { $0.locales.contains(locale) }
        }
        return remedies + installed.filter { !isSameLanguage($0) }.sorted().map(EngineFinder.Remedy.useLocale)
    }

    private func isSameLanguage(_ other: SpeechLocale) -> Bool { other.language == options.locale.language }

    private var built: [EngineCandidate] { parts.filter { $0.missingTrait == nil } }

    /// The engines that do the work of the considered candidates, each once.
    private var parts: [EngineCandidate] {
        var seen: Set<EngineID> = []
        return considered.flatMap(\.parts).filter { seen.insert($0.id).inserted }
    }
}

extension EngineFinder.Remedy {
    fileprivate func installs(forAnyOf engines: Set<EngineID>) -> Bool {
        if case .install(let asset, _, _) = self { engines.contains(asset.engine) } else { false }
    }
}
