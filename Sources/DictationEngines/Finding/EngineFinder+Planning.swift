public import DictationCore
import DictationModels

extension EngineFinder {
    /// Returns what to install for the best engine of the locale on a machine. Downloads nothing.
    ///
    /// The best is the first of the ``candidates`` with a model that is installed, or that the ``inventory`` can install
    /// and that fits in the machine's memory. If no model fits, this is the smallest one. Installed models come before
    /// others of the same engine, and models with known hashes before unpinned ones. ``modelFolder`` does not count.
    ///
    /// The files of an installed library and model are checked. If they are damaged, they are missing parts, so that
    /// installing the setup repairs them.
    ///
    /// - Parameter machine: The machine's memory and disk; `nil` for this machine with the standard store.
    /// - Throws: `unsupportedLocale` if no engine has a model for the locale, or the error of the best engine.
    public func setup(on machine: EngineFinder.Machine? = nil) async throws(DictationError) -> EngineFinder.Setup {
        let known = try await inventory?.assets() ?? []
        var setup = try await bestSetup(on: machine ?? .current(), known)
        setup.smaller = await smaller(than: setup, known)
        return setup
    }

    private func bestSetup(
        on machine: EngineFinder.Machine, _ known: [ModelAsset]
    ) async throws(DictationError) -> EngineFinder.Setup {
        var failures: [EngineFinder.Failure] = []
        var smallest: EngineFinder.Setup?
        for candidate in setupCandidates {
            if let trait = candidate.missingTrait {
                guard requiredEngine != nil else { continue }
                throw .notBuilt(candidate.id, trait: trait)
            }
            let search = await search(candidate)
            if case .found(let found) = search {
                return await setup(of: candidate, found, known, failures)
            }
            let choices = await choices(for: candidate, known)
            guard !choices.isEmpty else { continue }
            let library: [EngineFinder.Setup.Part]
            do throws(DictationError) {
                library = try await parts(of: candidate.library, known)
            } catch {
                failures.append(EngineFinder.Failure(engine: candidate.id, error: error))
                continue
            }
            let detectors = await detectors(for: candidate, known)
            for asset in choices {
                do throws(DictationError) {
                    let setup = EngineFinder.Setup(
                        locale: options.locale, engine: await joined(candidate),
                        parts: library + [try await part(asset)] + detectors, failures: failures)
                    if setup.isComplete, case .missing(let missing) = search { throw missing.error(of: asset.id) }
                    guard let shortage = setup.shortages(on: machine).first(where: { $0.kind == .memory }) else {
                        return setup
                    }
                    if shortage.needed < smallest?.memoryByteCount ?? .max { smallest = setup }
                    throw .tooLarge(shortage)
                } catch {
                    failures.append(EngineFinder.Failure(engine: candidate.id, model: asset.id, error: error))
                }
            }
        }
        if let smallest { return smallest }
        throw failures.first?.error ?? noModel(known)
    }

    /// Returns the setups of other models that have at most half of the size, the best first.
    private func smaller(than setup: EngineFinder.Setup, _ known: [ModelAsset]) async -> [EngineFinder.Setup] {
        guard let size = setup.missing.first(where: { $0.asset.kind == .model })?.asset.byteCount else { return [] }
        var smaller: [EngineFinder.Setup] = []
        for candidate in setupCandidates where candidate.missingTrait == nil {
            let small = await choices(for: candidate, known).filter { $0.byteCount.map { $0 <= size / 2 } ?? false }
            guard !small.isEmpty, let library = try? await parts(of: candidate.library, known) else { continue }
            let detectors = await detectors(for: candidate, known)
            for asset in small {
                guard let part = try? await part(asset) else { continue }
                smaller.append(
                    EngineFinder.Setup(
                        locale: options.locale, engine: candidate.id, parts: library + [part] + detectors))
            }
        }
        return smaller
    }

    /// The candidates that ``requiredEngine`` allows.
    private var setupCandidates: [EngineCandidate] {
        requiredEngine.map { required in candidates.filter { $0.id == required } } ?? candidates
    }

    /// Searches for the candidate's engine with an installed model.
    private func search(_ candidate: EngineCandidate) async -> EngineFinder.Search {
        var finder = self
        finder.candidates = [candidate]
        finder.modelFolder = nil
        return await finder.search()
    }

    /// Returns the engine that a candidate is after its installation: one that joins it with engines that work already,
    /// or itself.
    private func joined(_ candidate: EngineCandidate) async -> EngineID {
        for joint in setupCandidates {
            for other in joint.joined where joint.joined.contains(where: { $0.id == candidate.id }) {
                guard other.id != candidate.id, case .found = await search(other) else { continue }
                return joint.id
            }
        }
        return candidate.id
    }

    /// Returns the models for a candidate that does not work, the best first: those that are installed, then those to
    /// install.
    private func choices(for candidate: EngineCandidate, _ known: [ModelAsset]) async -> [ModelAsset] {
        var present: [ModelAsset] = []
        var absent: [ModelAsset] = []
        for asset in known
        where asset.engine == candidate.id && asset.kind == .model && asset.locales.contains(options.locale) {
            switch await status(of: asset) {
            case .installed, .damaged: present.append(asset)
            case .unsupported: continue
            default: absent.append(asset)
            }
        }
        return present + absent.filter(\.isPinned) + absent.filter { !$0.isPinned }
    }

    /// Returns the setup of an engine that works.
    private func setup(
        of candidate: EngineCandidate, _ found: FoundEngine, _ known: [ModelAsset], _ failures: [EngineFinder.Failure]
    ) async -> EngineFinder.Setup {
        let libraries = found.libraries.compactMap(\.asset)
        let engines = candidate.parts.map(\.id)
        var parts: [EngineFinder.Setup.Part] = []
        for asset in known {
            let isModel =
                asset.kind == .model && engines.contains(asset.engine) && found.models.contains(asset.id)
            guard isModel || libraries.contains(asset.id),
                [.installed, .damaged].contains(await status(of: asset)), let part = try? await part(asset)
            else { continue }
            parts.append(part)
        }
        return EngineFinder.Setup(
            locale: options.locale, engine: candidate.id, model: found.model,
            parts: parts.sorted(by: isLibraryFirst) + (await detectors(for: candidate, known)), failures: failures)
    }

    /// Returns an engine's library as a part. Returns nothing if the engine needs none, or if the library works and was
    /// not installed by the inventory.
    private func parts(
        of library: EngineCandidate.Library?, _ known: [ModelAsset]
    ) async throws(DictationError) -> [EngineFinder.Setup.Part] {
        guard let library else { return [] }
        let asset = known.first { $0.id == library.asset && $0.kind == .library }
        do throws(DictationError) { try await library.loadOnThread(inHelper: helper != nil) } catch {
            guard let asset, let part = try? await part(asset), !part.isInstalled else { throw error }
            return [part]
        }
        guard let asset, [.installed, .damaged].contains(await status(of: asset)) else { return [] }
        return [try await part(asset)]
    }

    /// Returns the detectors that a candidate uses, if they are installed or can be. An engine works without them, too.
    private func detectors(for candidate: EngineCandidate, _ known: [ModelAsset]) async -> [EngineFinder.Setup.Part] {
        var parts: [EngineFinder.Setup.Part] = []
        for asset in known
        where asset.kind == .detectors && candidate.parts.contains(where: { $0.id == asset.engine }) {
            let status = await status(of: asset)
            guard status != .unsupported, let part = try? await part(asset, status) else { continue }
            parts.append(part)
        }
        return parts
    }

    /// Returns the status of an asset after a check of its files.
    private func status(of asset: ModelAsset) async -> ModelAsset.Status {
        guard let inventory else { return .unsupported }
        if await inventory.status(of: asset.id) == .installed { try? await inventory.verify(asset.id) }
        return await inventory.status(of: asset.id)
    }

    private func part(_ asset: ModelAsset) async throws(DictationError) -> EngineFinder.Setup.Part {
        try await part(asset, status(of: asset))
    }

    private func part(
        _ asset: ModelAsset, _ status: ModelAsset.Status
    ) async throws(DictationError) -> EngineFinder.Setup.Part {
        let isInstalled = status == .installed
        let download = isInstalled ? nil : try await inventory?.download(of: asset.id)
        return EngineFinder.Setup.Part(asset, isInstalled: isInstalled, download: download ?? ModelAsset.Download())
    }

    private func noModel(_ known: [ModelAsset]) -> DictationError {
        let engines = Set(setupCandidates.filter { $0.missingTrait == nil }.map(\.id))
        let installable = known.filter { engines.contains($0.engine) }.flatMap(\.locales)
        let locales = Set(installable + setupCandidates.flatMap { $0.models().flatMap(\.locales) }).sorted()
        let related = locales.filter { $0.language == options.locale.language }
        let others = locales.filter { $0.language != options.locale.language }
        let names = (related + others).map(\.identifier).joined(separator: ", ")
        return DictationError(
            .unsupportedLocale, "No model for \(options.locale) is known.",
            recovery: names.isEmpty
                ? "Add a catalog that has a model." : "Choose from: \(names). Or add a catalog that has a model.")
    }
}

private func isLibraryFirst(_ first: EngineFinder.Setup.Part, _ second: EngineFinder.Setup.Part) -> Bool {
    first.asset.kind == .library && second.asset.kind != .library
}

extension EngineFinder.Missing {
    /// The error of a model, or else the error to show.
    fileprivate func error(of model: ModelAsset.ID) -> DictationError {
        failures.first { $0.model == model }?.error ?? error
    }
}

extension DictationError {
    fileprivate static func tooLarge(_ shortage: EngineFinder.Setup.Shortage) -> DictationError {
        DictationError(
            .installationFailed, shortage.description, recovery: "Use a smaller model, or a machine with more memory.")
    }
}
