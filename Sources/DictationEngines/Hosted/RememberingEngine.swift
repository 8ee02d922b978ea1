import DictationCore

/// An engine whose text also depends on the speech before the last pause.
protocol RememberingEngine: SpeechEngine {
    /// Creates a session that gets audio whose text is known, through a time. It hears that audio, and gives no text for it.
    func makeSession(
        _ options: RecognitionOptions, remembering end: Duration
    ) async throws(DictationError) -> any RecognitionSession
}

extension EngineDescription {
    /// How much of the speech before a pause the engine needs to write what follows as if it had heard all speech.
    ///
    /// A streaming network hears each chunk with what it made of earlier ones. A small zipformer does so for 28 seconds.
    func memory(for options: RecognitionOptions) -> Duration {
        guard case .sherpaOnnx = kind, options.task == .dictation else { return .zero }
        return .seconds(30)
    }
}
