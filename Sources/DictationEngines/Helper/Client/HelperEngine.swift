public import DictationCore

/// An engine in a process of its own, used like any other engine.
///
///     DictationHelper.runIfAsked()  // The first line of `main`.
///     let model = try SherpaOnnxEngine.Model(folder: "zipformer-en")
///     let engine = HelperEngine(try .sherpaOnnx(model, locales: ["en-US"]))
///
/// A C library can crash, hang or leak. In a helper process that costs no words: the audio that is not final yet is kept
/// and decoded again by another helper. Final text is never lost, doubled or reordered. Volatile text may disappear and
/// come again. An engine that remembers earlier speech, as a zipformer does, first hears the last 30 seconds of it again,
/// so that it writes what it would have written without the interruption.
///
/// All sessions of a program with the same description share one helper, which loads the model once.
/// ``DictationHelper`` says which program becomes the helper.
public final class HelperEngine: SpeechEngine, ParallelTranscribing {
    /// The description of the engine.
    public let engine: EngineDescription
    /// The configuration.
    public let configuration: Configuration

    let model: HelperModel
    private let runtime = DictationRuntime.current

    /// The configuration of a ``HelperEngine``.
    public struct Configuration: Sendable, Hashable {
        /// How long the helper keeps the model, and runs, after the last session ended.
        public var retention: ModelRetention = .lingering(.seconds(60))
        /// How long a helper with work may take to answer, before it is replaced.
        public var responseTimeout: Duration = .seconds(10)
        /// How long the engine may work on a piece of audio without any progress, before its helper is replaced.
        public var progressTimeout: Duration = .seconds(120)
        /// The greatest number of bytes that a helper may keep in memory, before it is replaced; `nil` for no limit.
        public var memoryLimit: Int64?

        /// Creates the default configuration.
        public init() {}

        var limits: HelperProcess.Limits {
            HelperProcess.Limits(response: responseTimeout, progress: progressTimeout, memory: memoryLimit)
        }
    }

    /// Creates an engine. The helper starts with the first session.
    ///
    /// - Parameters:
    ///   - engine: The description of the engine.
    ///   - configuration: The configuration.
    public init(_ engine: EngineDescription, configuration: Configuration = .init()) {
        self.engine = engine
        self.configuration = configuration
        model = .shared(engine, configuration)
    }

    /// The name of the engine in the helper.
    public var name: String { engine.engineName }
    /// The capabilities of the engine in the helper, and the restrictions of the helper: before the first session those
    /// of this machine's kernel, then those that hold.
    public var capabilities: EngineCapabilities {
        var capabilities = engine.capabilities
        capabilities.maximumSessions = min(capabilities.maximumSessions ?? .max, SharedMemory.slotCount)
        capabilities.restrictions = model.restrictions
        return capabilities
    }
    /// The locales of the engine in the helper.
    public var supportedLocales: [SpeechLocale] { get async { engine.locales } }

    /// The number of the helper's process; `nil` if none runs.
    package var helper: Int32? { model.helperProcess?.number }

    /// Returns the engine's audio format. Starts the helper if it does not run.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        try await check(options)
        guard case .format(let format) = try await ask({ .format($0) }, options) else {
            throw DictationError(.engineFailed, "The engine's process did not tell its audio format.")
        }
        return try format.validated()
    }

    /// Starts the helper and loads the model.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        try await check(options)
        _ = try await ask({ .prepare($0) }, options, progress)
        model.linger()
    }

    /// Creates a session. Starts the helper and loads the model if needed.
    ///
    /// - Throws: Also `DictationError.Code.engineFailed` if there is no helper, and
    ///   `DictationError.Code.modelInvalid` if helpers die while they load the model.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        let format = try await audioFormat(for: options)
        let model = model
        return try await DecoderSession.open("helper", audioFormat: format, options: options, runtime: runtime) {
            () async throws(DictationError) in
            HelperEngineDecoder(stream: try await HelperStream(model, options, format: format))
        }
    }

    /// Transcribes a recording with `workers` workers in the helper. An engine that can't divide the work uses one.
    public func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        let format = try await audioFormat(for: options)
        let stream = try await HelperStream(model, options, workers: max(1, workers), format: format)
        var fed = FedAudio(format: format)
        var iterator = input.makeAsyncIterator()
        while let buffer = try await iterator.next() {
            try fed.admit(buffer)
            try await stream.decode(buffer, into: results)
        }
        try await stream.finish(into: results)
    }

    private func check(_ options: RecognitionOptions) async throws(DictationError) {
        try capabilities.validate(options, engine: name)
        try await validate(options.locale)
    }

    /// Asks the helper, and another one if it dies.
    private func ask(
        _ call: (RecognitionOptions) -> HelperCall, _ options: RecognitionOptions,
        _ progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(DictationError) -> HelperAnswer {
        let progress = GrowingProgress(progress)
        return try await model.use { helper throws(HelperFailure) in
            try await helper.process.call(call(options)) { progress.report($0) }
        }.0
    }
}
