public import DictationCore

/// Speech recognition with sherpa-onnx's offline models: Parakeet and other models of NeMo, Whisper, SenseVoice and
/// Moonshine. The text of most of them has punctuation and case.
///
///     let engine = try SherpaOnnxOfflineEngine(folder: "moonshine-tiny-en", locales: ["en-US"])
///     let text = try await engine.transcribe(FileCapturer(path: "talk.flac")).text()
///
/// An offline model recognizes each stretch of speech as a whole, so text becomes final after each pause. A session
/// with volatile results recognizes the current stretch again and again, and its text may change until the pause. The
/// priority makes no difference, because the model has only one search method.
///
/// A model of many languages that takes a language gets that of the session's locale. The engine loads such a model once
/// for each language in use.
public final class SherpaOnnxOfflineEngine: SpeechEngine, ParallelTranscribing {
    /// The engine's name.
    public let name = EngineID.sherpaOnnxOffline.rawValue
    /// The engine's capabilities: dictation and volatile results. Words have times with a model of NeMo and with
    /// SenseVoice.
    public let capabilities: EngineCapabilities
    /// The model.
    public let model: SherpaOnnxOfflineEngine.Model
    /// The engine's configuration.
    public let configuration: SherpaOnnxOfflineEngine.Configuration

    private let locales: [SpeechLocale]
    private let recognizers: LoadedModels<String?, OfflineRecognizer>

    /// Creates an engine for a model.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - locales: The model's locales; if `nil`, the locales in the model's manifest or in its files.
    ///   - configuration: The engine's configuration.
    /// - Throws: `DictationError` when a setting is out of range or not for this model, when the locales are unknown, or
    ///   when ``SherpaOnnxLibrary/load()`` does.
    public init(
        model: SherpaOnnxOfflineEngine.Model, locales: [SpeechLocale]? = nil,
        configuration: SherpaOnnxOfflineEngine.Configuration = .init()
    ) throws(DictationError) {
        _ = try SherpaOnnxLibrary.load()
        self.model = model
        let known = model.locales.isEmpty ? nil : model.locales
        self.locales = try SherpaOnnxInventory.Manifest.locales(locales ?? known, of: model.folder)
        self.configuration = try configuration.validated(for: model)
        capabilities = Self.capabilities(of: model)
        recognizers = LoadedModels(configuration.retention)
    }

    /// Creates an engine for the model in a folder.
    ///
    /// - Parameters:
    ///   - folder: The model's folder.
    ///   - locales: The model's locales; if `nil`, the locales in the model's manifest or in its files.
    ///   - configuration: The engine's configuration.
    /// - Throws: `DictationError` when the model can't be used, and as ``init(model:locales:configuration:)`` does.
    public convenience init(
        folder: String, locales: [SpeechLocale]? = nil, configuration: SherpaOnnxOfflineEngine.Configuration = .init()
    ) throws(DictationError) {
        try self.init(
            model: SherpaOnnxOfflineEngine.Model(folder: folder), locales: locales, configuration: configuration)
    }

    static func capabilities(of model: SherpaOnnxOfflineEngine.Model) -> EngineCapabilities {
        EngineCapabilities(
            model.hasWordTimes ? [.dictation, .volatileResults, .wordTimes] : [.dictation, .volatileResults])
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
        let cutter = cutter(for: options, lease.model.hearing)
        return try await DecoderSession.open("sherpa", audioFormat: .speech, options: options) {
            OfflineDecoder(lease, cutter: cutter, options)
        }
    }

    /// Transcribes a recording with `workers` workers. The text is the same as in a session without volatile results.
    public func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        let lease = try await recognizer(for: options)
        var options = options
        options.volatileResults = false
        let cutter = cutter(for: options, lease.model.hearing)
        if options.wordTimes {
            let transcription = ParallelTranscription(cutter: cutter) { piece throws(DictationError) in
                try lease.model.timedUpdates(of: piece)
            }
            return try await transcription.transcribe(input, workers: workers, report: results.report) {
                $0.forEach(results.emit)
            }
        }
        let transcription = ParallelTranscription(cutter: cutter) { piece throws(DictationError) in
            var heard = (text: try lease.model.recognition.text(of: piece), piece: piece)
            heard.piece.samples = []
            return heard
        }
        var joiner = PieceJoiner(isLive: false)
        try await transcription.transcribe(input, workers: workers, report: results.report) { heard in
            joiner.add(heard.text, of: heard.piece).forEach(results.emit)
        }
        joiner.flush().forEach(results.emit)
    }

    /// Returns the cutter of a session. Pieces whose words have times don't overlap, because each is a result of its own.
    private func cutter(for options: RecognitionOptions, _ hearing: Hearing) -> PauseCutter {
        let overlap = options.wordTimes ? .zero : Self.overlap
        guard options.volatileResults, let rules = configuration.endpointing else {
            return PauseCutter(overlap: overlap, hearing: hearing)
        }
        return PauseCutter(rules, overlap: overlap, hearing: hearing)
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
    ) async throws(DictationError) -> LoadedModels<String?, OfflineRecognizer>.Lease {
        try capabilities.validate(options, engine: name)
        try await validate(options.locale)
        let language = try language(for: options.locale)
        return try await recognizers.lease(language) {
            [model, configuration] () throws(DictationError) in
            try configuration.modelCheck.checkIfNeeded(model)
            if let detectors = configuration.detectors { try configuration.modelCheck.checkIfNeeded(detectors) }
            return try OfflineRecognizer(model, language: language, configuration)
        }
    }

    /// Returns the model's code for the language of a locale; `nil` if the model takes none or is to find it out. The C
    /// library ends the process when it gets a language that the model does not have.
    private func language(for locale: SpeechLocale) throws(DictationError) -> String? {
        let languages = model.languages
        guard !languages.codes.isEmpty, !configuration.detectsLanguage else { return nil }
        guard let code = languages.code(for: locale) else {
            throw DictationError(
                .unsupportedLocale, "The model in \(model.folder) does not have the language of \(locale).",
                recovery: "Choose one of its languages: \(languages.codes.joined(separator: ", ")).")
        }
        return code
    }
}
