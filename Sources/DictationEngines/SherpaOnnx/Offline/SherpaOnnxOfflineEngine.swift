#if SherpaOnnx
public import DictationCore

/// Speech recognition with a model that decodes a stretch as a whole: text with punctuation and case.
///
///     let engine = try SherpaOnnxOfflineEngine(folder: "/usr/share/models/moonshine-tiny-en", locales: ["en-US"])
///     let text = try await engine.transcribe(FileCapturer(path: "talk.flac")).text
///
/// Text is final after each pause. A session with volatile results decodes the current stretch again and again, so that
/// its text may change until then. The priority makes no difference: the model has one way to search.
public final class SherpaOnnxOfflineEngine: SpeechEngine, ParallelTranscribing {
    /// The engine's name.
    public let name = EngineID.sherpaOnnxOffline.rawValue
    /// Free speech, also before it is final; words have no times.
    public let capabilities = EngineCapabilities([.dictation, .volatileResults])
    /// The model.
    public let model: SherpaOnnxOfflineModel
    /// How the engine works: `endpointing`, `threadsPerStep`, `retention` and `modelCheck` of it. The rest is for models
    /// that stream.
    public let configuration: SherpaOnnxConfiguration

    private let locales: [SpeechLocale]
    private let loading: any TaskExecutor
    private let recognizers: LoadedModels<SearchMethod, OfflineRecognizer>

    /// Makes an engine for a model. Without locales, those of the manifest beside the model are taken.
    public init(
        model: SherpaOnnxOfflineModel, locales: [SpeechLocale]? = nil,
        configuration: SherpaOnnxConfiguration = .init()
    ) throws(DictationError) {
        try SherpaOnnxLibrary.check()
        self.model = model
        self.locales = try SherpaOnnxManifest.locales(locales, or: model.manifest, of: model.folder)
        self.configuration = try configuration.validated()
        loading = DictationRuntime.current.blockingExecutor("sherpa-load")
        recognizers = LoadedModels(configuration.retention)
    }

    /// Makes an engine for the model in a folder.
    public convenience init(
        folder: String, locales: [SpeechLocale]? = nil, configuration: SherpaOnnxConfiguration = .init()
    ) throws(DictationError) {
        try self.init(
            model: SherpaOnnxOfflineModel(folder: folder), locales: locales, configuration: configuration)
    }

    /// The locales that the model is for.
    public var supportedLocales: [SpeechLocale] { get async { locales } }

    /// 16 kHz, mono, 16-bit.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }

    /// Loads the model; the first time, it is tried in a process of its own before.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        _ = try await recognizer(for: options)
        progress(1)
    }

    /// Makes a session, loading the model where that was not done yet.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        let lease = try await recognizer(for: options)
        var cutter = PauseCutter()
        if options.volatileResults, let rules = configuration.endpointing { cutter = PauseCutter(rules) }
        let showsVolatile = options.volatileResults
        return try await DecoderSession.open("sherpa", audioFormat: .speech, options: options) { [cutter] in
            OfflineDecoder(lease, cutter: cutter, showsVolatile: showsVolatile)
        }
    }

    /// Transcribes a recording with a number of workers. The text is that of a session without volatile results.
    public func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        let lease = try await recognizer(for: options)
        let transcription = ParallelTranscription { piece throws(DictationError) in
            [try lease.model.result(of: piece)]
        }
        try await transcription.transcribe(input, workers: workers, into: results)
    }

    private func recognizer(
        for options: RecognitionOptions
    ) async throws(DictationError) -> Lease<OfflineRecognizer> {
        try capabilities.validate(options, engine: name)
        try await validate(options.locale)
        return try await recognizers.lease(.greedy, on: loading) {
            [model, configuration] () throws(DictationError) in
            try configuration.checkIfNew(model)
            return try OfflineRecognizer(model, configuration)
        }
    }
}
#else
/// Speech recognition with sherpa-onnx's models that hear whole stretches, left out of this build.
@available(*, unavailable, message: "Enable the 'SherpaOnnx' trait")
public enum SherpaOnnxOfflineEngine: Sendable {}
#endif
