public import DictationCore

extension SherpaOnnxOfflineEngine {
    /// The configuration of a ``SherpaOnnxOfflineEngine``. The defaults suit dictation.
    public struct Configuration: Sendable, Hashable, Codable {
        /// The pauses that end an utterance, so that its text becomes final while the user goes on speaking. They apply only
        /// to sessions with volatile results, where a user watches the text.
        public var endpointing: RecognitionOptions.Endpointing? = .init()
        /// The networks that hear where speech is and where a turn ends; `nil` for loudness and pauses of a fixed length.
        public var detectors: Detectors?
        /// Whether the model finds out the language by itself, so that a session's locale does not matter. Only a model whose
        /// ``SherpaOnnxOfflineEngine/Model/canDetectLanguage`` is `true` does this.
        public var detectsLanguage = false
        /// The number of threads that the C library may use for one step of decoding, from 1 to 256.
        public var threadsPerStep = 1
        /// How long the model stays in memory.
        public var retention: ModelRetention = .processLifetime
        /// When the engine checks a model in a helper process before it loads the model itself. See ``DictationHelper``.
        public var modelCheck: SherpaOnnxEngine.Configuration.ModelCheck = .whenNew

        /// Creates the default configuration.
        public init() {}

        func validated(for model: SherpaOnnxOfflineEngine.Model) throws(DictationError)
            -> SherpaOnnxOfflineEngine.Configuration
        {
            var shared = SherpaOnnxEngine.Configuration()
            shared.threadsPerStep = threadsPerStep
            _ = try shared.validated()
            guard model.canDetectLanguage || !detectsLanguage else {
                throw DictationError(
                    .unsupportedOption, "The model in \(model.folder) can't find out the language.",
                    recovery: "Leave “detectsLanguage” off, or choose a model such as Whisper or SenseVoice.")
            }
            return self
        }
    }
}
