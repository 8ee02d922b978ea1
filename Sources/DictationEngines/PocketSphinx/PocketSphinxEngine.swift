#if PocketSphinx
public import DictationCore
public import DictationModels

/// Speech to text with PocketSphinx: small, offline, good at commands and keyphrases.
///
/// The engine needs Debian's `libpocketsphinx-dev` to build and a model such as `pocketsphinx-en-us` to run. It lends
/// each loaded decoder to one session at a time, and keeps decoders in memory for as long as the retention says.
public final class PocketSphinxEngine: SpeechEngine, ParallelTranscribing {
    /// The engine's models. A session uses the first one with its locale.
    public let models: [PocketSphinxModel]
    private let pool: SphinxPool

    /// Creates an engine.
    ///
    /// - Parameters:
    ///   - models: The models; by default, every installed model.
    ///   - retention: How long decoders stay in memory.
    public init(
        models: [PocketSphinxModel] = PocketSphinxModel.installed(in: .standard) + PocketSphinxModel.installed(),
        retention: ModelRetention = .lingering(.seconds(60))
    ) {
        self.models = models
        pool = SphinxPool(retention: retention)
    }

    /// Whether a session uses the engine, or the retention keeps a decoder in memory.
    var holdsModels: Bool { pool.holdsDecoders }

    /// The engine's name.
    public let name = EngineID.pocketSphinx.rawValue

    /// The engine's capabilities: every feature.
    public var capabilities: EngineCapabilities { EngineCapabilities(Set(EngineCapabilities.Feature.allCases)) }

    /// The locales of the engine's models.
    public var supportedLocales: [SpeechLocale] {
        get async { Set(models.map(\.locale)).sorted() }
    }

    /// Returns the audio format that the model for the options was trained for.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        AudioFormat(sampleRate: try model(for: options).parameters.sampleRate)
    }

    /// Loads a decoder for the options, and reports the progress from 0 to 1.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        progress(0)
        let plan = try plan(options)
        let pool = pool
        try await BlockingWork(name).run { () throws(DictationError) in
            pool.give(try pool.take(plan.configuration))
            pool.prepared()
        }
        progress(1)
    }

    /// Creates a session.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        let plan = try plan(options)
        let pool = pool
        let format = AudioFormat(sampleRate: plan.configuration.model.parameters.sampleRate)
        return try await DecoderSession.open(name, audioFormat: format, options: options) {
            () throws(DictationError) in try SphinxStream(plan, pool: pool)
        }
    }

    /// Transcribes a recording with `workers` decoders at once. The text is the same as in a session without volatile
    /// results.
    public func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        var options = options
        options.volatileResults = false
        try await SphinxRecording(plan: try plan(options), pool: pool).transcribe(
            input, workers: workers, into: results)
    }

    /// Returns the pronunciations of the words in the contextual strings that the dictionary lacks.
    ///
    /// - Parameter options: The options with the contextual strings.
    /// - Throws: `DictationError` when the options can't be used, for example when a pronunciation can't be guessed.
    public func addedPronunciations(
        for options: RecognitionOptions
    ) throws(DictationError) -> [PocketSphinxModel.Pronunciation] {
        try plan(options).configuration.words
    }

    /// Returns the PocketSphinx settings that a priority stands for in recordings. A benchmark can use them to run
    /// PocketSphinx itself.
    @_spi(Benchmarks) public static func settings(
        for priority: RecognitionOptions.Priority
    ) -> [(name: String, value: String)] {
        SphinxTuning.settings(priority, isLive: false, needsLattice: false).map { ($0.name, $0.value) }
    }

    private func plan(_ options: RecognitionOptions) throws(DictationError) -> SphinxPlan {
        try capabilities.validate(options, engine: name)
        return try SphinxPlan(options, model: try model(for: options))
    }

    private func model(for options: RecognitionOptions) throws(DictationError) -> PocketSphinxModel {
        if let model = models.first(where: { $0.locale == options.locale }) { return model }
        guard !models.isEmpty else {
            throw DictationError(
                .modelNotInstalled, "The engine “\(name)” has no model.",
                recovery: "Install one: “apt-get install pocketsphinx-en-us” for US English.")
        }
        let names = Set(models.map(\.locale.identifier)).sorted().joined(separator: ", ")
        throw DictationError(
            .unsupportedLocale, "The engine “\(name)” has no model for \(options.locale).",
            recovery: "Install one, or choose from: \(names).")
    }
}
#else
public import DictationCore

/// Speech to text with PocketSphinx, left out of this build.
@available(*, unavailable, message: "Enable the “PocketSphinx” trait of swift-dictation.")
public final class PocketSphinxEngine: SpeechEngine {
    /// Makes an engine, in a build with the trait.
    public init(models: [PocketSphinxModel] = [], retention: ModelRetention = .lingering(.seconds(60))) {}

    // The protocol's requirements are here, so that every use of the type is an error that names the trait.
    /// Unavailable in this build.
    public var name: String { "" }
    /// Unavailable in this build.
    public var capabilities: EngineCapabilities { EngineCapabilities() }
    /// Unavailable in this build.
    public var supportedLocales: [SpeechLocale] { get async { [] } }
    /// Unavailable in this build.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }
    /// Unavailable in this build.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        throw .notBuilt("PocketSphinx")
    }
}
#endif
