public import DictationCore

/// Speech recognition with sherpa-onnx's offline models, whose text has punctuation and case.
///
///     let engine = try SherpaOnnxOfflineEngine(folder: "moonshine-tiny-en", locales: ["en-US"])
///     let text = try await engine.transcribe(FileCapturer(path: "talk.flac")).text()
///
/// An offline model recognizes each stretch of speech as a whole, so text becomes final after each pause. A session
/// with volatile results recognizes the current stretch again and again, and its text may change until the pause. The
/// priority makes no difference, because the model has only one search method.
public final class SherpaOnnxOfflineEngine: SpeechEngine, ParallelTranscribing {
    /// The engine's name.
    public let name = EngineID.sherpaOnnxOffline.rawValue
    /// The engine's capabilities: dictation and volatile results. Words have no times.
    public let capabilities = EngineCapabilities([.dictation, .volatileResults])
    /// The model.
    public let model: SherpaOnnxOfflineModel
    /// The engine's configuration.
    public let configuration: SherpaOnnxOfflineConfiguration

    private let locales: [SpeechLocale]
    private let loading: any TaskExecutor
    private let recognizers: LoadedModels<SearchMethod, OfflineRecognizer>

    /// Creates an engine for a model.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - locales: The model's locales; if `nil`, the locales in the model's manifest.
    ///   - configuration: The engine's configuration.
    /// - Throws: `DictationError` when a setting is out of range, when the locales are unknown, or when
    ///   ``SherpaOnnxLibrary/load()`` does.
    public init(
        model: SherpaOnnxOfflineModel, locales: [SpeechLocale]? = nil,
        configuration: SherpaOnnxOfflineConfiguration = .init()
    ) throws(DictationError) {
        _ = try SherpaOnnxLibrary.load()
        self.model = model
        self.locales = try SherpaOnnxManifest.locales(locales, or: model.manifest, of: model.folder)
        self.configuration = try configuration.validated()
        loading = DictationRuntime.current.blockingExecutor("sherpa-load")
        recognizers = LoadedModels(configuration.retention)
    }

    /// Creates an engine for the model in a folder.
    ///
    /// - Parameters:
    ///   - folder: The model's folder.
    ///   - locales: The model's locales; if `nil`, the locales in the model's manifest.
    ///   - configuration: The engine's configuration.
    /// - Throws: `DictationError` when the model can't be used, and as ``init(model:locales:configuration:)`` does.
    public convenience init(
        folder: String, locales: [SpeechLocale]? = nil, configuration: SherpaOnnxOfflineConfiguration = .init()
    ) throws(DictationError) {
        try self.init(
            model: SherpaOnnxOfflineModel(folder: folder), locales: locales, configuration: configuration)
    }

    /// The model's locales.
    public var supportedLocales: [SpeechLocale] { get async { locales } }

    /// Returns the engine's audio format: 16 kHz, mono, 16-bit.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }

    /// Loads the model. A new model is first checked in a helper process.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        _ = try await recognizer(for: options)
        progress(1)
    }

    /// Creates a session, and loads the model if needed.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        let lease = try await recognizer(for: options)
        var cutter = PauseCutter(overlap: Self.overlap)
        if options.volatileResults, let rules = configuration.endpointing {
            cutter = PauseCutter(rules, overlap: Self.overlap)
        }
        let showsVolatile = options.volatileResults
        return try await DecoderSession.open("sherpa", audioFormat: .speech, options: options) { [cutter] in
            OfflineDecoder(lease, cutter: cutter, showsVolatile: showsVolatile)
        }
    }

    /// Transcribes a recording with `workers` workers. The text is the same as in a session without volatile results.
    public func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        let lease = try await recognizer(for: options)
        let transcription = ParallelTranscription(cutter: PauseCutter(overlap: Self.overlap)) {
            piece throws(DictationError) in
            var heard = (text: try lease.model.recognition.text(of: piece), piece: piece)
            heard.piece.samples = []
            return heard
        }
        var joiner = PieceJoiner(isLive: false)
        try await transcription.transcribe(input, workers: workers) { heard in
            joiner.add(heard.text, of: heard.piece).forEach(results.emit)
        }
        joiner.flush().forEach(results.emit)
    }

    /// The length by which pieces overlap in the middle of a sentence: enough for a few words.
    private static let overlap = Duration.seconds(2)

    /// Returns the audio of each stretch of a recording as the model gets it.
    @_spi(Benchmarks) public static func stretches(of samples: [Int16]) -> [[Int16]] {
        var cutter = PauseCutter(overlap: overlap)
        let pieces = cutter.add(AudioBuffer(samples, start: .zero)) + cutter.flush()
        return pieces.compactMap {
            PieceRecognition.input(of: $0)?.map { Int16(clamping: Int(($0 * 32_768).rounded())) }
        }
    }

    private func recognizer(
        for options: RecognitionOptions
    ) async throws(DictationError) -> Lease<OfflineRecognizer> {
        try capabilities.validate(options, engine: name)
        try await validate(options.locale)
        return try await recognizers.lease(.greedy, on: loading) {
            [model, configuration] () throws(DictationError) in
            try configuration.modelCheck.checkIfNeeded(model)
            return try OfflineRecognizer(model, configuration)
        }
    }
}
