/// A speech recognizer that owns its model and creates sessions. An app keeps one for a long time.
///
/// - **Choose** `SherpaOnnxEngine` for free speech, `PocketSphinxEngine` for commands and small machines,
///   `ScriptedEngine` in tests.
/// - **Use** it through ``DictationSession`` for live dictation, and through
///   ``transcribe(_:options:converters:capture:workers:)`` for recordings.
/// - **Implement** it by writing a ``SpeechDecoder`` and returning a ``DecoderSession``.
/// - **Test** your own with `EngineConformance` from DictationTesting. The cases of `EngineConformance.Clause` there are what an
///   engine promises.
///
/// An engine that is asked for volatile results reports some before the audio is final, even if all of the audio comes
/// in one long buffer.
public protocol SpeechEngine: Sendable {
    /// The engine's short, stable name, such as `pocketsphinx`.
    var name: String { get }
    /// The features and limits of the engine.
    var capabilities: EngineCapabilities { get }
    /// The locales that the engine has a model for.
    var supportedLocales: [SpeechLocale] { get async }
    /// The options with which a recording is transcribed if the caller gives none.
    var transcriptionOptions: RecognitionOptions { get }
    /// Returns the format of the audio that a session with these options takes.
    ///
    /// - Throws: An error if the engine does not support the options.
    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat
    /// Loads the model ahead of time, so that the next ``makeSession(_:)`` is fast.
    ///
    /// - Parameters:
    ///   - options: The options of the later session.
    ///   - progress: Receives the fraction done, from 0 to 1. It never goes back.
    /// - Throws: An error if the engine does not support the options, or can't load the model.
    func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError)
    /// Creates a session. Loads the model if it isn't loaded yet.
    ///
    /// - Throws: ``DictationError/Code/unsupportedOption`` for an option that the engine can't follow,
    ///   ``DictationError/Code/unsupportedLocale`` for a locale without a model,
    ///   ``DictationError/Code/modelNotInstalled`` if the engine has no model at all, and
    ///   ``DictationError/Code/alreadyRunning`` for more sessions than ``EngineCapabilities/maximumSessions``.
    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession
}

extension SpeechEngine {
    /// `RecognitionOptions.fileTranscription()`.
    public var transcriptionOptions: RecognitionOptions { .fileTranscription() }

    /// Does nothing: an engine without a model to load is ready at once.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {}

    /// Loads the model ahead of time, without progress.
    public func prepare(_ options: RecognitionOptions) async throws(DictationError) {
        try await prepare(options) { _ in }
    }

    /// Checks that the engine has a model for the locale.
    ///
    /// - Throws: ``DictationError/Code/modelNotInstalled`` if the engine has no model at all,
    ///   ``DictationError/Code/unsupportedLocale`` if its models are for other locales.
    public func validate(_ locale: SpeechLocale) async throws(DictationError) {
        let supported = await supportedLocales
        guard !supported.contains(locale) else { return }
        guard !supported.isEmpty else {
            throw DictationError(
                .modelNotInstalled, "The engine “\(name)” has no model.", recovery: "Install one for \(locale).")
        }
        let names = supported.map(\.identifier).joined(separator: ", ")
        throw DictationError(
            .unsupportedLocale, "The engine “\(name)” has no model for \(locale).",
            recovery: "Install one, or choose from: \(names).")
    }
}

/// How long an engine keeps its model in memory.
public enum ModelRetention: Sendable, Hashable, Codable {
    /// While a session is open.
    case whileInUse
    /// For a given time after the last session ended.
    case lingering(Duration)
    /// Until the process ends.
    case processLifetime
}
