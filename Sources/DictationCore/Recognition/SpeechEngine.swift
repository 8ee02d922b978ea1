/// A speech recognizer: long-lived, owns its model, makes sessions.
///
/// - **Choose** `SherpaOnnxEngine` for free speech, `PocketSphinxEngine` for commands and small machines,
///   `ScriptedEngine` in tests.
/// - **Use** it through `DictationSession` for live dictation and `transcribe(_:)` for recordings.
/// - **Implement** it by writing a `SpeechDecoder` and returning a `DecoderSession`, which keeps the contract for you;
///   check the result with `EngineConformance` from DictationTesting.
///
/// What an engine promises: an option that it can't honour throws `unsupportedOption`, a locale that it has no model
/// for throws `unsupportedLocale`, or `modelNotInstalled` if it has no model at all; neither is ever ignored or replaced. What the options ask for is in the
/// results, what they don't is not. An engine asked for volatile results shows some before the audio is final, also when
/// all of it comes in one long buffer. Progress never goes back. As many sessions as `maximumSessions` can be open, one
/// more throws `alreadyRunning`; no session changes another.
public protocol SpeechEngine: Sendable {
    /// The engine's short, stable name: `pocketsphinx`.
    var name: String { get }
    /// What the engine can do.
    var capabilities: EngineCapabilities { get }
    /// The locales that it has a model for.
    var supportedLocales: [SpeechLocale] { get async }
    /// The audio that a session with these options takes.
    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat
    /// Loads what a session needs, so that the next `makeSession(_:)` is fast. The closure gets the part done, 0 to 1.
    func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError)
    /// Makes a session, loading what is not yet loaded.
    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession
}

extension SpeechEngine {
    /// An engine with nothing to load is ready at once.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {}

    /// Loads what a session needs.
    public func prepare(_ options: RecognitionOptions) async throws(DictationError) {
        try await prepare(options) { _ in }
    }

    /// Throws unless the engine has a model for the locale: `modelNotInstalled` if it has none at all, and
    /// `unsupportedLocale` if its models are for other locales.
    public func validate(_ locale: SpeechLocale) async throws(DictationError) {
        let supported = await supportedLocales
        guard !supported.contains(locale) else { return }
        guard !supported.isEmpty else {
            throw DictationError(
                .modelNotInstalled, "The engine '\(name)' has no model.", recovery: "Install one for \(locale).")
        }
        let names = supported.map(\.identifier).joined(separator: ", ")
        throw DictationError(
            .unsupportedLocale, "The engine '\(name)' has no model for \(locale).",
            recovery: "Install one, or choose from: \(names).")
    }
}

/// How long an engine keeps its model in memory.
public enum ModelRetention: Sendable, Hashable {
    /// As long as a session is open.
    case whileInUse
    /// For a time after the last session closed.
    case lingering(Duration)
    /// Until the process ends.
    case processLifetime
}
