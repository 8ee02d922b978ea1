public import DictationCore
import DictationSystem

extension SherpaOnnxEngine {
    /// The configuration of a ``SherpaOnnxEngine``. The defaults suit dictation.
    public struct Configuration: Sendable, Hashable, Codable {
        /// The case of the text, for a model that writes only capital letters.
        public var textCase: RecognitionOptions.TextCase = .sentence
        /// The pauses that end an utterance, so that its text becomes final while the user goes on speaking.
        ///
        /// They apply only to sessions with volatile results, where a user watches the text. A session of
        /// ``SherpaOnnxEngine`` without volatile results is one utterance.
        public var endpointing: RecognitionOptions.Endpointing? = .init()
        /// The strength of a contextual string with the weight 1, from 0 to 1000. More strength makes the string likelier.
        public var contextualStrength: Float = 1.5
        /// The sensitivity of keyphrases without their own, from 0 (fewest false alarms) to 1 (fewest misses).
        public var keyphraseSensitivity = 0.75
        /// The number of hypotheses that a beam search keeps, from 1 to 64.
        public var beamWidth = 4
        /// The number of threads that the C library may use for one step of decoding.
        public var threadsPerStep = 1
        /// The number of steps that may run at once when several sessions are live; `nil` means one for each core.
        public var parallelSteps: Int?
        /// The greatest number of live sessions in one step, if the model allows more than one; 1 decodes each by itself.
        public var sessionsPerStep = 8
        /// Whether the engine makes quiet speech louder, and loud speech quieter, before it recognizes it.
        public var normalizesLevel = true
        /// How long the model stays in memory.
        public var retention: ModelRetention = .processLifetime
        /// When the engine checks a model in a helper process before it loads the model itself. See ``DictationHelper``.
        public var modelCheck: ModelCheck = .whenNew

        /// Creates the default configuration.
        public init() {}

        /// When the engine checks a model in a helper process.
        public enum ModelCheck: String, Sendable, Codable {
            /// Once for each version of the model's files, because a damaged file can end the process that loads it.
            /// Without a helper the engine refuses to load a new model.
            case whenNew
            /// Never. Use this for a model that is known to work. The files still get this package's own checks.
            case never
        }

        var parallelStepCount: Int { parallelSteps ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

        func validated() throws(DictationError) -> SherpaOnnxEngine.Configuration {
            func check(_ holds: Bool, _ name: String, _ range: String) throws(DictationError) {
                guard holds else {
                    throw DictationError(
                        .invalidInput, "The sherpa-onnx configuration's “\(name)” is out of range.",
                        recovery: "Use \(range).")
                }
            }
            try check((0...1_000).contains(contextualStrength), "contextualStrength", "0 to 1000")
            try check((0...1).contains(keyphraseSensitivity), "keyphraseSensitivity", "0 to 1")
            try check((1...64).contains(beamWidth), "beamWidth", "1 to 64")
            try check((1...256).contains(threadsPerStep), "threadsPerStep", "1 to 256")
            try check((1...256).contains(parallelSteps ?? 1), "parallelSteps", "1 to 256, or nil")
            try check((1...256).contains(sessionsPerStep), "sessionsPerStep", "1 to 256")
            return self
        }
    }
}
