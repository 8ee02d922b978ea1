public import DictationCore
import DictationModels

extension EngineFinder {
    /// Returns what to install for the best engine of the locale on a machine. Downloads and changes nothing.
    ///
    /// The best is the first of the ``candidates`` with a model that is installed, or that the ``inventory`` can install
    /// and that fits in the machine's memory. If no model fits, this is the smallest one. Models with known hashes come
    /// before unpinned ones of the same engine. ``modelFolder`` does not count.
    ///
    /// - Parameter machine: The machine's memory and disk; `nil` for this machine with the standard store.
    /// - Throws: `unsupportedLocale` if no engine has a model for the locale, or the error of the best engine.
    public func setup(on machine: MachineCapacity? = nil) async throws(DictationError) -> EngineSetup {
        let machine = machine ?? .current()
        let known = try await inventory?.assets() ?? []
        var failures: [EngineFailure] = []
        var smallest: EngineSetup?
        for candidate in setupCandidates {
            if let trait = candidate.missingTrait {
                guard requiredEngine != nil else { continue }
                throw .notBuilt(candidate.id, trait: trait)
            }
            if let found = await installed(candidate) {
                return await setup(of: candidate, model: found.model, known, failures)
            }
            let choices = await choices(for: candidate, known)
            guard !choices.isEmpty else { continue }
            let library: [EngineSetup.Part]
            do throws(DictationError) {
                library = try await parts(of: candidate.library, known)
            } catch {
                failures.append(EngineFailure(engine: candidate.id, error: error))
                continue
            }
            for asset in choices {
                do throws(DictationError) {
                    let setup = EngineSetup(
                        locale: options.locale, engine: candidate.id, parts: library + [try await part(asset)],
                        failures: failures)
                    guard let shortage = setup.shortages(on: machine).first(where: { $0.kind == .memory }) else {
                        return setup
                    }
                    if shortage.needed < smallest?.memoryByteCount ?? .max { smallest = setup }
                    throw .tooLarge(shortage)
                } catch {
                    failures.append(EngineFailure(engine: candidate.id, model: asset.id, error: error))
                }
            }
        }
        if let smallest { return smallest }
        throw failures.first?.error ?? noModel(known)
    }

    /// The candidates that ``requiredEngine`` allows.
    private var setupCandidates: [EngineCandidate] {
        requiredEngine.map { required in candidates.filter { $0.id == required } } ?? candidates
    }

    /// Returns the candidate's engine if it works without an installation.
    private func installed(_ candidate: EngineCandidate) async -> FoundEngine? {
        var finder = self
        finder.candidates = [candidate]
        finder.modelFolder = nil
        guard case .found(let found) = await finder.search() else { return nil }
        return found
    }

    /// Returns the models for a candidate that lacks its library or a model, the best first: an installed model, then
    /// those to install.
    private func choices(for candidate: EngineCandidate, _ known: [ModelAsset]) async -> [ModelAsset] {
        let suited = known.filter {
            $0.engine == candidate.id && $0.kind == .model && $0.locales.contains(options.locale)
        }
        let installed = await installed(EngineCandidate(candidate.id, models: candidate.models()))?.model
        var absent: [ModelAsset] = []
        for asset in suited {
            guard let status = await inventory?.status(of: asset.id), status != .installed, status != .unsupported
            else { continue }
            absent.append(asset)
        }
        return suited.filter { $0.id == installed } + absent.filter(\.isPinned) + absent.filter { !$0.isPinned }
    }

    /// Returns the setup of an engine that works.
    private func setup(
        of candidate: EngineCandidate, model: String?, _ known: [ModelAsset], _ failures: [EngineFailure]
    ) async -> EngineSetup {
        var parts: [EngineSetup.Part] = []
        for asset in known {
            let isModel = asset.engine == candidate.id && asset.kind == .model && asset.id == model
            guard isModel || asset.id == candidate.library?.asset else { continue }
            guard await inventory?.status(of: asset.id) == .installed else { continue }
            parts.append(EngineSetup.Part(asset, isInstalled: true))
        }
        return EngineSetup(
            locale: options.locale, engine: candidate.id, model: model, parts: parts.sorted(by: isLibraryFirst),
            failures: failures)
    }

    /// Returns an engine's library as a part. Returns nothing if the engine needs none, or if the library works and was
    /// not installed by the inventory.
    private func parts(
        of library: EngineLibrary?, _ known: [ModelAsset]
    ) async throws(DictationError) -> [EngineSetup.Part] {
        guard let library else { return [] }
        let asset = known.first { $0.id == library.asset && $0.kind == .library }
        do throws(DictationError) { try await library.loadOnThread() } catch {
            guard let asset, let part = try? await part(asset), !part.isInstalled else { throw error }
            return [part]
        }
        guard let asset, await inventory?.status(of: asset.id) == .installed else { return [] }
        return [EngineSetup.Part(asset, isInstalled: true)]
    }

    private func part(_ asset: ModelAsset) async throws(DictationError) -> EngineSetup.Part {
        let isInstalled = await inventory?.status(of: asset.id) == .installed
        let download = isInstalled ? nil : try await inventory?.download(of: asset.id)
        return EngineSetup.Part(asset, isInstalled: isInstalled, download: download ?? AssetDownload())
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

private func isLibraryFirst(_ first: EngineSetup.Part, _ second: EngineSetup.Part) -> Bool {
    first.asset.kind == .library && second.asset.kind != .library
}

extension DictationError {
    fileprivate static func tooLarge(_ shortage: EngineSetup.Shortage) -> DictationError {
        DictationError(
            .installationFailed, shortage.description, recovery: "Use a smaller model, or a machine with more memory.")
    }
}
