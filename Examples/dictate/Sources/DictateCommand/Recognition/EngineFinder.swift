import DictationCore
import DictationEngines
import DictationModels
import Glibc

/// The engines that can be asked for by name.
enum EngineName: String, Sendable, CaseIterable {
    case sherpaOnnxOffline = "sherpa-onnx-offline"
    case sherpaOnnx = "sherpa-onnx"
    case pocketSphinx = "pocketsphinx"
    case scripted

    /// The name by which models say that they are for this engine.
    var id: EngineID { EngineID(rawValue: rawValue) }

    /// Those to choose from when none is asked for, the best first.
    static let byQuality: [EngineName] = [.sherpaOnnxOffline, .sherpaOnnx, .pocketSphinx]
}

/// An engine with a model, ready to be asked.
struct EngineChoice: Sendable {
    var engine: any SpeechEngine
    /// What a person calls the model.
    var model: String?
}

/// Finds the engine and the model for what is asked.
struct EngineFinder: Sendable {
    var locale: SpeechLocale = "en-US"
    var name: EngineName?
    /// The folder of a model.
    var model: String?
    /// The file that says what the scripted engine understands.
    var script: String?
    var store = ModelStore.standard

    /// The best engine that can do what the options ask for. Throws what keeps the best one from it.
    func find(for options: RecognitionOptions) async throws(DictationError) -> EngineChoice {
        var problems: [DictationError] = []
        for name in candidates {
            do throws(DictationError) {
                let choice = try choice(of: name)
                try choice.engine.capabilities.validate(options, engine: name.rawValue)
                try await choice.engine.validate(options.locale)
                return choice
            } catch {
                problems.append(error)
            }
        }
        let isMissing = problems.allSatisfy { [.modelNotInstalled, .unsupportedLocale, .notBuilt].contains($0.code) }
        if isMissing, model == nil, problems.contains(where: { $0.code != .notBuilt }) {
            throw await MissingModel(finder: self).error
        }
        // An engine that is there and can't do it says more than one that isn't there.
        throw problems.first { [.unsupportedOption, .invalidInput, .unsupportedLocale].contains($0.code) }
            ?? problems.first { $0.code != .notBuilt } ?? problems.first ?? .noEngine(locale)
    }

    /// The engines to try, the best first.
    var candidates: [EngineName] {
        if let name { return [name] }
        if script != nil { return [.scripted] }
        return EngineName.byQuality.filter { $0 != .sherpaOnnxOffline || model.map(isForWholeStretches) ?? true }
    }

    /// Whether a folder has a model for `sherpaOnnxOffline`; about any other folder that engine has nothing to say.
    private func isForWholeStretches(_ folder: String) -> Bool {
        #if SherpaOnnx
        SherpaOnnxOfflineModel.isModel(folder: folder)
        #else
        false
        #endif
    }

    /// An engine with its model for the locale.
    func choice(of name: EngineName) throws(DictationError) -> EngineChoice {
        if name != .scripted, script != nil {
            throw DictationError(
                .invalidInput, "--script is for the engine 'scripted' alone.", recovery: "Leave it out.")
        }
        do throws(DictationError) {
            switch name {
            case .scripted: return try scripted()
            case .pocketSphinx: return try pocketSphinx()
            case .sherpaOnnx: return try sherpaOnnx()
            case .sherpaOnnxOffline: return try sherpaOnnxOffline()
            }
        } catch {
            // What can't be read here is not a recording.
            guard error.code == .fileUnreadable else { throw error }
            var error = error
            error.code = name == .scripted ? .invalidInput : .modelInvalid
            throw error
        }
    }

    private func scripted() throws(DictationError) -> EngineChoice {
        let words = try script.map { path throws(DictationError) in try SpeechScript(contentsOfFile: path) }
        let engine = ScriptedEngine(words ?? .counting, locales: [locale])
        return EngineChoice(engine: engine, model: script)
    }

    private func pocketSphinx() throws(DictationError) -> EngineChoice {
        if let folder = model {
            let kept = store.models(engine: .pocketSphinx).first { $0.folder == folder }
            // One that doesn't say what it is for is for what the user says.
            let named = try? PocketSphinxModel(folder: folder).locale
            try check(folder, isFor: kept?.asset.locales ?? [named].compactMap(\.self))
            let model = try PocketSphinxModel(folder: folder, locale: locale)
            return EngineChoice(engine: PocketSphinxEngine(models: [model]), model: model.name)
        }
        let models = PocketSphinxModel.installed(in: store) + PocketSphinxModel.installed()
        guard let model = models.first(where: { $0.locale == locale }) else {
            throw .noModel(for: .pocketSphinx, locale)
        }
        return EngineChoice(engine: PocketSphinxEngine(models: [model]), model: model.name)
    }

    #if SherpaOnnx
    private func sherpaOnnx() throws(DictationError) -> EngineChoice {
        if let model {
            let model = try SherpaOnnxModel(folder: model)
            let engine = try SherpaOnnxEngine(model: model, locales: locales(of: model.manifest))
            return EngineChoice(engine: engine, model: FilePath.lastName(of: model.folder))
        }
        let engine = try installed(.sherpaOnnx) { () throws(DictationError) in
            try SherpaOnnxEngine(locale: locale, in: store)
        }
        return EngineChoice(engine: engine, model: FilePath.lastName(of: engine.model.folder))
    }

    private func sherpaOnnxOffline() throws(DictationError) -> EngineChoice {
        if let model {
            let model = try SherpaOnnxOfflineModel(folder: model)
            let engine = try SherpaOnnxOfflineEngine(model: model, locales: locales(of: model.manifest))
            return EngineChoice(engine: engine, model: FilePath.lastName(of: model.folder))
        }
        let engine = try installed(.sherpaOnnxOffline) { () throws(DictationError) in
            try SherpaOnnxOfflineEngine(locale: locale, in: store)
        }
        return EngineChoice(engine: engine, model: FilePath.lastName(of: engine.model.folder))
    }

    /// A model that doesn't say what it is for is for what the user says.
    private func locales(of manifest: SherpaOnnxManifest?) -> [SpeechLocale]? {
        manifest == nil ? [locale] : nil
    }

    private func installed<Engine>(
        _ name: EngineName, _ make: () throws(DictationError) -> Engine
    ) throws(DictationError) -> Engine {
        do throws(DictationError) { return try make() } catch {
            throw [.modelNotInstalled, .unsupportedLocale].contains(error.code) ? .noModel(for: name, locale) : error
        }
    }
    #else
    private func sherpaOnnx() throws(DictationError) -> EngineChoice { throw .builtWithoutSherpaOnnx }
    private func sherpaOnnxOffline() throws(DictationError) -> EngineChoice { throw .builtWithoutSherpaOnnx }
    #endif
}

extension DictationError {
    #if !SherpaOnnx
    fileprivate static var builtWithoutSherpaOnnx: DictationError {
        DictationError(
            .notBuilt, "This dictate was built without sherpa-onnx.",
            recovery: "Run Scripts/install-sherpa-onnx, then build with --traits SherpaOnnx; or use pocketsphinx.")
    }
    #endif

    fileprivate static func noModel(for engine: EngineName, _ locale: SpeechLocale) -> DictationError {
        DictationError(
            .modelNotInstalled, "No model of \(engine.rawValue) for \(locale) is installed.",
            recovery: "See 'dictate models list' and 'dictate models install', or give a folder with --model.")
    }

    fileprivate static func noEngine(_ locale: SpeechLocale) -> DictationError {
        DictationError(
            .modelNotInstalled, "No engine can recognize \(locale).", recovery: "'dictate doctor' says what there is.")
    }
}
