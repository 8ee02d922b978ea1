public import DictationCore

/// A description of an engine, from which a ``HelperEngine`` creates the engine in a helper process.
public struct EngineDescription: Sendable, Hashable, Codable {
    /// A kind of engine with its settings.
    indirect enum Kind: Sendable, Hashable, Codable {
        case scripted(ScriptedDescription)
        case pocketSphinx([ModelFolder])
        case sherpaOnnx(ModelFolder, SherpaOnnxEngine.Model.Precision, SherpaOnnxEngine.Configuration)
        case sherpaOnnxOffline(ModelFolder, SherpaOnnxOfflineEngine.Configuration)
        case twoPass(quick: EngineDescription, thorough: EngineDescription, preview: TwoPassEngine.Preview)
    }

    /// A model's folder and its locales.
    struct ModelFolder: Sendable, Hashable, Codable {
        var folder: String
        var locales: [SpeechLocale]
    }

    /// A scripted engine.
    struct ScriptedDescription: Sendable, Hashable, Codable {
        var steps: [Step]
        var locales: [SpeechLocale]
        var capabilities: EngineCapabilities
        var audioFormat: AudioFormat

        struct Step: Sendable, Hashable, Codable {
            var time: Duration?
            var action: ScriptedEngine.Script.Step.Action
        }
    }

    let kind: Kind
    let capabilities: EngineCapabilities
    let locales: [SpeechLocale]

    init(_ kind: Kind, _ capabilities: EngineCapabilities, _ locales: [SpeechLocale]) {
        self.kind = kind
        self.capabilities = capabilities
        self.locales = locales
    }

    /// The name of the engine.
    public var engineName: String {
        switch kind {
        case .scripted: "scripted"
        case .pocketSphinx: EngineID.pocketSphinx.rawValue
        case .sherpaOnnx: EngineID.sherpaOnnx.rawValue
        case .sherpaOnnxOffline: EngineID.sherpaOnnxOffline.rawValue
        case .twoPass: EngineID.twoPass.rawValue
        }
    }

    // MARK: Descriptions

    /// Describes an engine that plays a script in every session.
    ///
    /// - Parameters:
    ///   - script: The script.
    ///   - locales: The supported locales.
    ///   - capabilities: The engine's capabilities.
    ///   - audioFormat: The format of the audio that the engine takes.
    public static func scripted(
        _ script: ScriptedEngine.Script = .counting, locales: [SpeechLocale] = ["en-US"],
        capabilities: EngineCapabilities = EngineCapabilities(ScriptedEngine.scriptedFeatures),
        audioFormat: AudioFormat = .speech
    ) -> EngineDescription {
        let steps = script.steps.map { ScriptedDescription.Step(time: $0.time, action: $0.action) }
        let scripted = ScriptedDescription(
            steps: steps, locales: locales, capabilities: capabilities, audioFormat: audioFormat)
        return EngineDescription(.scripted(scripted), capabilities, locales)
    }

    /// Describes a ``SherpaOnnxEngine``. The helper keeps the model for as long as it runs. A new model is first tried in
    /// a helper of its own.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - locales: The model's locales; if `nil`, the locales in the model's manifest.
    ///   - configuration: The engine's configuration.
    /// - Throws: `DictationError` when a setting is out of range or when the locales are unknown.
    public static func sherpaOnnx(
        _ model: SherpaOnnxEngine.Model, locales: [SpeechLocale]? = nil,
        configuration: SherpaOnnxEngine.Configuration = .init()
    ) throws(DictationError) -> EngineDescription {
        var configuration = try configuration.validated()
        configuration.retention = .processLifetime
        let locales = try SherpaOnnxInventory.Manifest.locales(locales ?? model.manifest?.locales, of: model.folder)
        let folder = ModelFolder(folder: model.folder, locales: locales)
        return EngineDescription(
            .sherpaOnnx(folder, model.precision, configuration), SherpaOnnxEngine.capabilities(of: model), locales)
    }

    /// Describes a ``SherpaOnnxOfflineEngine``. The helper keeps the model for as long as it runs. A new model is first
    /// tried in a helper of its own.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - locales: The model's locales; if `nil`, the locales in the model's manifest or in its files.
    ///   - configuration: The engine's configuration.
    /// - Throws: `DictationError` when a setting is out of range or when the locales are unknown.
    public static func sherpaOnnxOffline(
        _ model: SherpaOnnxOfflineEngine.Model, locales: [SpeechLocale]? = nil,
        configuration: SherpaOnnxOfflineEngine.Configuration = .init()
    ) throws(DictationError) -> EngineDescription {
        var configuration = try configuration.validated(for: model)
        configuration.retention = .processLifetime
        let known = model.locales.isEmpty ? nil : model.locales
        let locales = try SherpaOnnxInventory.Manifest.locales(locales ?? known, of: model.folder)
        let folder = ModelFolder(folder: model.folder, locales: locales)
        return EngineDescription(
            .sherpaOnnxOffline(folder, configuration), SherpaOnnxOfflineEngine.capabilities(of: model), locales)
    }

    /// Describes a ``TwoPassEngine``. Both engines run in one helper.
    ///
    /// - Parameters:
    ///   - quick: The engine for the times of words and the check.
    ///   - thorough: The engine for the final text.
    ///   - preview: The engine whose text is shown while it may still change.
    public static func twoPass(
        quick: EngineDescription, thorough: EngineDescription, preview: TwoPassEngine.Preview = .quick
    ) -> EngineDescription {
        let features = TwoPassFeatures(
            quick: quick.capabilities, thorough: thorough.capabilities, preview: preview)
        return EngineDescription(
            .twoPass(quick: quick, thorough: thorough, preview: preview), features.capabilities,
            quick.locales.filter(thorough.locales.contains))
    }
}

extension EngineDescription {
    /// The folders of the models.
    var folders: [String] {
        switch kind {
        case .scripted: []
        case .pocketSphinx(let models): models.map(\.folder)
        case .sherpaOnnx(let model, _, _): [model.folder]
        case .sherpaOnnxOffline(let model, _): [model.folder]
        case .twoPass(let quick, let thorough, _): quick.folders + thorough.folders
        }
    }

    /// The files and folders that the engine reads.
    var paths: [String] {
        switch kind {
        case .scripted, .sherpaOnnx: folders
        case .sherpaOnnxOffline(_, let configuration): folders + (configuration.detectors?.files ?? [])
        case .pocketSphinx(let models): models.flatMap(Self.pocketSphinxPaths)
        case .twoPass(let quick, let thorough, _): quick.paths + thorough.paths
        }
    }

    /// Whether the engine needs the library sherpa-onnx.
    var needsSherpaOnnx: Bool {
        switch kind {
        case .scripted, .pocketSphinx: false
        case .sherpaOnnx, .sherpaOnnxOffline: true
        case .twoPass(let quick, let thorough, _): quick.needsSherpaOnnx || thorough.needsSherpaOnnx
        }
    }

    /// How much of the speech before a pause the engine needs, so that it writes what follows as if it had heard all speech.
    ///
    /// A streaming network hears each chunk with what it made of earlier ones. A small zipformer does so for 28 seconds.
    func memory(for options: RecognitionOptions) -> Duration {
        guard case .sherpaOnnx = kind, options.task == .dictation else { return .zero }
        return .seconds(30)
    }

    /// Tries each new model of sherpa-onnx, once for each version of its files. Blocks until the result is known.
    ///
    /// Without this, a damaged model would end the engine's helper at each piece of audio, as the audio's own fault does.
    ///
    /// - Throws: `modelInvalid` for a model that does not work.
    func checkNewModels() throws(DictationError) {
        switch kind {
        case .scripted, .pocketSphinx: return
        case .sherpaOnnx(let model, let precision, let configuration):
            try configuration.modelCheck.checkIfNeeded(
                SherpaOnnxEngine.Model(folder: model.folder, precision: precision))
        case .sherpaOnnxOffline(let model, let configuration):
            try configuration.modelCheck.checkIfNeeded(SherpaOnnxOfflineEngine.Model(folder: model.folder))
            if let detectors = configuration.detectors { try configuration.modelCheck.checkIfNeeded(detectors) }
        case .twoPass(let quick, let thorough, _):
            try quick.checkNewModels()
            try thorough.checkNewModels()
        }
    }

    /// Where an engine that is described will work.
    enum Place {
        /// In a helper, which keeps the model for as long as it runs. Whoever started it has checked the model.
        case helper
        /// In the app, which frees the model after a while; `nil` is each engine's usual time.
        case app(ModelRetention?)

        fileprivate func retention(_ usual: ModelRetention) -> ModelRetention {
            switch self {
            case .helper: .processLifetime
            case .app(let retention): retention ?? usual
            }
        }

        fileprivate func check(_ usual: SherpaOnnxEngine.Configuration.ModelCheck)
            -> SherpaOnnxEngine.Configuration.ModelCheck
        {
            switch self {
            case .helper: .never
            case .app: usual
            }
        }
    }

    /// Creates the engine.
    func makeEngine(in place: Place) throws(DictationError) -> any SpeechEngine {
        switch kind {
        case .scripted(let scripted):
            let steps = scripted.steps.map { ScriptedEngine.Script.Step(time: $0.time, action: $0.action) }
            return ScriptedEngine(
                ScriptedEngine.Script(steps), locales: scripted.locales, capabilities: scripted.capabilities,
                audioFormat: scripted.audioFormat)
        case .pocketSphinx(let folders): return try Self.pocketSphinxEngine(folders, in: place)
        case .sherpaOnnx(let model, let precision, var configuration):
            configuration.modelCheck = place.check(configuration.modelCheck)
            configuration.retention = place.retention(SherpaOnnxEngine.Configuration().retention)
            return try SherpaOnnxEngine(
                model: SherpaOnnxEngine.Model(folder: model.folder, precision: precision), locales: model.locales,
                configuration: configuration)
        case .sherpaOnnxOffline(let model, var configuration):
            configuration.modelCheck = place.check(configuration.modelCheck)
            configuration.retention = place.retention(SherpaOnnxOfflineEngine.Configuration().retention)
            return try SherpaOnnxOfflineEngine(
                folder: model.folder, locales: model.locales, configuration: configuration)
        case .twoPass(let quick, let thorough, let preview):
            return try TwoPassEngine(
                quick: quick.makeEngine(in: place), thorough: thorough.makeEngine(in: place), preview: preview)
        }
    }
}

#if PocketSphinx
extension EngineDescription {
    /// Describes a ``PocketSphinxEngine``. The helper keeps loaded decoders for as long as it runs.
    ///
    /// - Parameter models: The models. A session uses the first one with its locale.
    public static func pocketSphinx(_ models: [PocketSphinxModel]) -> EngineDescription {
        let folders = models.map { ModelFolder(folder: $0.folder, locales: [$0.locale]) }
        return EngineDescription(
            .pocketSphinx(folders), EngineCapabilities(Set(EngineCapabilities.Feature.allCases)),
            Set(models.map(\.locale)).sorted())
    }

    private static func pocketSphinxEngine(
        _ folders: [ModelFolder], in place: Place
    ) throws(DictationError) -> any SpeechEngine {
        let models = try folders.map { model throws(DictationError) in
            try PocketSphinxModel(folder: model.folder, locale: model.locales.first)
        }
        return PocketSphinxEngine(models: models, retention: place.retention(.lingering(.seconds(60))))
    }

    /// A model's dictionary and language model may lie above its folder.
    private static func pocketSphinxPaths(_ model: ModelFolder) -> [String] {
        let files = try? PocketSphinxModel(folder: model.folder, locale: model.locales.first)
        return [model.folder] + [files?.dictionary, files?.languageModel].compactMap(\.self)
    }
}
#else
extension EngineDescription {
    /// Describes a ``PocketSphinxEngine``, which this build leaves out.
    @available(*, unavailable, message: "Enable the “PocketSphinx” trait of swift-dictation.")
    public static func pocketSphinx(_ models: [PocketSphinxModel]) -> EngineDescription { .scripted() }

    private static func pocketSphinxPaths(_ model: ModelFolder) -> [String] { [model.folder] }

    private static func pocketSphinxEngine(
        _ folders: [ModelFolder], in place: Place
    ) throws(DictationError) -> any SpeechEngine {
        throw DictationError(
            .notBuilt, "The helper was built without PocketSphinx.",
            recovery: "Enable the “PocketSphinx” trait of swift-dictation.")
    }
}
#endif
