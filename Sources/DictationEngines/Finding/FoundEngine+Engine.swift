public import DictationCore

extension FoundEngine: SpeechEngine, ParallelTranscribing {
    /// The engine's name.
    public var name: String { engine.name }
    /// The features and limits of the engine.
    public var capabilities: EngineCapabilities { engine.capabilities }
    /// The locales that the engine has a model for.
    public var supportedLocales: [SpeechLocale] { get async { await engine.supportedLocales } }

    /// The options of the search, for a recording: final results only, and at least two minutes to finish.
    public var transcriptionOptions: RecognitionOptions {
        var options = options
        let usual = RecognitionOptions.fileTranscription()
        options.volatileResults = false
        options.finalizationTimeout = max(options.finalizationTimeout, usual.finalizationTimeout)
        return options
    }

    /// Returns the format of the audio that a session with these options takes.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        try await engine.audioFormat(for: options)
    }

    /// Loads the model ahead of time.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        try await engine.prepare(options, progress: progress)
    }

    /// Creates a session.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        try await engine.makeSession(options)
    }

    /// Transcribes a recording with several workers, or in one session if the engine can't divide the work.
    public func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        try await engine.transcribeRecording(input, options: options, workers: workers, into: results)
    }
}
