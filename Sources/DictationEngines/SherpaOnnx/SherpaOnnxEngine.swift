public import DictationCore

/// Speech recognition with sherpa-onnx's streaming models: free speech, contextual strings and wake words.
///
///     let engine = try SherpaOnnxEngine(folder: "zipformer-en", locales: ["en-US"])
///     let session = try await engine.makeSession(.liveDictation())
///
/// Any number of sessions share the model. The engine decodes sessions that are live at the same time together. A
/// session with the priority `accuracy` or with contextual strings uses a beam search, which only transducers of icefall
/// have. Any other session uses a greedy search, whose volatile text only grows.
public final class SherpaOnnxEngine: SpeechEngine, ParallelTranscribing {
    /// The engine's name.
    public let name = EngineID.sherpaOnnx.rawValue
    /// The engine's capabilities with this model.
    public let capabilities: EngineCapabilities
    /// The model.
    public let model: SherpaOnnxEngine.Model
    /// The engine's configuration.
    public let configuration: SherpaOnnxEngine.Configuration

    private let locales: [SpeechLocale]
    private let recognizers: LoadedModels<SearchMethod, LoadedRecognizer>
    private let spotters: LoadedModels<String, LoadedSpotter>

    /// Creates an engine for a model.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - locales: The model's locales; if `nil`, the locales in the model's manifest.
    ///   - configuration: The engine's configuration.
    /// - Throws: `DictationError` when a setting is out of range, when the locales are unknown, or when
    ///   ``SherpaOnnxLibrary/load()`` does.
    public init(
        model: SherpaOnnxEngine.Model, locales: [SpeechLocale]? = nil,
        configuration: SherpaOnnxEngine.Configuration = .init()
    ) throws(DictationError) {
        _ = try SherpaOnnxLibrary.load()
        self.model = model
        self.locales = try SherpaOnnxInventory.Manifest.locales(locales ?? model.manifest?.locales, of: model.folder)
        self.configuration = try configuration.validated()
        capabilities = Self.capabilities(of: model)
        let loading = DictationRuntime.current.blockingExecutor("sherpa-load")
        recognizers = LoadedModels(configuration.retention, on: loading)
        spotters = LoadedModels(configuration.retention, on: loading)
    }

    /// Creates an engine for the model in a folder.
    ///
    /// - Parameters:
    ///   - folder: The model's folder.
    ///   - locales: The model's locales; if `nil`, the locales in the model's manifest.
    ///   - configuration: The engine's configuration.
    /// - Throws: `DictationError` when the model can't be used, and as ``init(model:locales:configuration:)`` does.
    public convenience init(
        folder: String, locales: [SpeechLocale]? = nil, configuration: SherpaOnnxEngine.Configuration = .init()
    ) throws(DictationError) {
        try self.init(
            model: SherpaOnnxEngine.Model(folder: folder), locales: locales, configuration: configuration)
    }

    static func capabilities(of model: SherpaOnnxEngine.Model) -> EngineCapabilities {
        var features: Set<EngineCapabilities.Feature> = [.dictation, .volatileResults, .wordTimes]
        if model.layout.hasTokenProbabilities { features.insert(.wordConfidence) }
        if model.pieces != nil { features.formUnion([.contextualStrings, .keyphrases]) }
        return EngineCapabilities(features)
    }

    /// The model's locales.
    public var supportedLocales: [SpeechLocale] { get async { locales } }

    /// Returns the engine's audio format: 16 kHz, mono, 16-bit.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        .speech
    }

    /// Loads the model. A new model is first checked in a helper process.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        try await check(options)
        if case .keyphrases = options.task {
            _ = try await spotter()
        } else {
            _ = try await recognizer(method(for: options))
        }
        progress(1)
    }

    /// Creates a session, and loads the model if needed.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        try await check(options)
        switch options.task {
        case .keyphrases(let phrases): return try await spottingSession(phrases, options)
        default: return try await dictationSession(options, remembering: .zero)
        }
    }

    /// Creates a session that gets audio whose text is known, through a time. It hears that audio, and gives no text for it.
    func makeSession(
        _ options: RecognitionOptions, remembering end: Duration
    ) async throws(DictationError) -> any RecognitionSession {
        guard options.task == .dictation else { return try await makeSession(options) }
        try await check(options)
        return try await dictationSession(options, remembering: end)
    }

    /// Transcribes a recording with `workers` workers. The engine cuts the recording at pauses, and each piece is an
    /// utterance. It looks for keyphrases in the uncut recording, with one worker.
    public func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        try await check(options)
        var options = options
        options.volatileResults = false
        if case .keyphrases = options.task {
            return try await transcribeInOneSession(input, options: options, into: results)
        }
        let request = try request(options)
        let lease = try await recognizer(method(for: options))
        let feed = AudioFeed(model: model, normalizesLevel: configuration.normalizesLevel)
        let transcription = ParallelTranscription(cutter: PauseCutter()) { piece throws(DictationError) in
            try await StreamingDecoder(lease, feed: feed, request).updates(of: piece)
        }
        try await transcription.transcribe(input, workers: workers, report: results.report) {
            $0.forEach(results.emit)
        }
    }

    private func dictationSession(
        _ options: RecognitionOptions, remembering end: Duration
    ) async throws(DictationError) -> any RecognitionSession {
        let request = try request(options)
        let lease = try await recognizer(method(for: options))
        let feed = AudioFeed(model: model, normalizesLevel: configuration.normalizesLevel)
        return try await DecoderSession.open("sherpa", audioFormat: .speech, options: options) {
            StreamingDecoder(lease, feed: feed, request, remembering: end)
        }
    }

    private func request(_ options: RecognitionOptions) throws(DictationError) -> StreamingDecoder.Request {
        let casing = Casing(
            textCase: model.table.hasOnlyCapitals ? configuration.textCase : .asModel,
            language: options.locale.language)
        let hotwords = try model.pieces.map { pieces throws(DictationError) in
            try ContextualHotwords(
                options.contextualStrings, pieces, strength: configuration.contextualStrength)
        }
        return StreamingDecoder.Request(
            volatileResults: options.volatileResults, wordTimes: options.wordTimes,
            wordConfidence: options.wordConfidence, hotwords: hotwords?.encoded, casing: casing,
            hasEndpoints: options.volatileResults && configuration.endpointing != nil)
    }

    private func spottingSession(
        _ phrases: [RecognitionTask.Keyphrase], _ options: RecognitionOptions
    ) async throws(DictationError) -> any RecognitionSession {
        for (isAsked, option) in [
            (options.wordConfidence, "wordConfidence"), (!options.contextualStrings.isEmpty, "contextualStrings"),
        ] where isAsked {
            throw DictationError(
                .unsupportedOption, "The engine “\(name)” does not support the option “\(option)” for keyphrases.",
                recovery: "Leave the option out, or ask for dictation.")
        }
        guard let pieces = model.pieces else {
            throw DictationError(.unsupportedOption, "The model has no bpe.model, which keyphrases need.")
        }
        let list = try KeyphraseList(phrases, pieces, defaultSensitivity: configuration.keyphraseSensitivity)
        let lease = try await spotter()
        let feed = AudioFeed(model: model, normalizesLevel: configuration.normalizesLevel)
        let wordTimes = options.wordTimes
        return try await DecoderSession.open("sherpa", audioFormat: .speech, options: options) {
            KeyphraseDecoder(lease, feed: feed, list, wordTimes: wordTimes)
        }
    }

    private func check(_ options: RecognitionOptions) async throws(DictationError) {
        try capabilities.validate(options, engine: name)
        try await validate(options.locale)
    }

    private func method(for options: RecognitionOptions) -> SearchMethod {
        let isWanted = options.priority == .accuracy || !options.contextualStrings.isEmpty
        return isWanted && model.layout.hasBeamSearch ? .beam : .greedy
    }

    private func recognizer(_ method: SearchMethod) async throws(DictationError)
        -> LoadedModels<SearchMethod, LoadedRecognizer>.Lease
    {
        try await recognizers.lease(method) { [model, configuration] () throws(DictationError) in
            try configuration.modelCheck.checkIfNeeded(model)
            return try LoadedRecognizer(model, method, configuration)
        }
    }

    private func spotter() async throws(DictationError) -> LoadedModels<String, LoadedSpotter>.Lease {
        try await spotters.lease("keyphrases") { [model, configuration] () throws(DictationError) in
            try configuration.modelCheck.checkIfNeeded(model)
            return try LoadedSpotter(model, configuration)
        }
    }
}

/// A recognizer and the lanes that decode its streams.
final class LoadedRecognizer: Sendable {
    let recognizer: Recognizer
    let batchDecoder: BatchDecoder

    init(_ model: SherpaOnnxEngine.Model, _ method: SearchMethod, _ setup: SherpaOnnxEngine.Configuration)
        throws(DictationError)
    {
        let recognizer = try Recognizer(model, pieces: model.pieces, timeScale: model.timeScale, method, setup)
        self.recognizer = recognizer
        batchDecoder = BatchDecoder(
            count: setup.parallelStepCount, together: model.decodesTogether ? setup.sessionsPerStep : 1
        ) {
            recognizer.decode($0)
        }
    }
}
