#if SherpaOnnx
public import DictationCore
import Glibc

/// How a `SherpaOnnxEngine` works; the defaults are right for dictation.
public struct SherpaOnnxConfiguration: Sendable {
    /// How text is written that the model gives in capitals alone.
    public var textCase: TextCase = .sentence
    /// When a pause ends an utterance, so that its text becomes final while more is said.
    ///
    /// It applies to sessions with volatile results, where someone watches; a recording is one utterance.
    public var endpointing: Endpointing? = Endpointing()
    /// How strongly contextual strings of weight 1 are preferred.
    public var contextualStrength: Float = 1.5
    /// The sensitivity of keyphrases that don't have their own.
    public var keyphraseSensitivity = 0.75
    /// How many hypotheses a beam search keeps.
    public var beamWidth = 4
    /// How many threads the C library may use for one step of decoding.
    public var threadsPerStep = 1
    /// How many steps run at once, at most, when several sessions are live. With `nil` it is one for each core.
    public var parallelSteps: Int?
    /// How many live sessions are decoded together in one step at most, where the model can; 1 is each by itself.
    public var sessionsPerStep = 8
    /// Whether quiet speech is made louder, and loud speech quieter, before it is recognised.
    public var normalizesLevel = true
    /// How long the model stays in memory.
    public var retention: ModelRetention = .processLifetime
    /// Whether a new model is first loaded in a process of its own. See ``DictationHost``.
    public var modelCheck: ModelCheck = .whenNew

    /// Makes the default configuration.
    public init() {}

    /// How text is written that the model gives in capitals alone.
    public enum TextCase: String, Sendable, CaseIterable {
        /// A capital where an utterance begins.
        case sentence
        /// Small letters.
        case lower
        /// As the model gives it.
        case asModel
    }

    /// The pauses that end an utterance.
    public struct Endpointing: Sendable, Hashable {
        /// The silence that ends an utterance with no text.
        public var silenceWithoutText: Duration
        /// The silence that ends an utterance with text.
        public var silenceAfterText: Duration
        /// The length that ends an utterance also without a pause; `nil` is none.
        public var maximumLength: Duration?

        /// Makes rules.
        public init(
            silenceWithoutText: Duration = .seconds(2.4), silenceAfterText: Duration = .seconds(1.2),
            maximumLength: Duration? = nil
        ) {
            self.silenceWithoutText = silenceWithoutText
            self.silenceAfterText = silenceAfterText
            self.maximumLength = maximumLength
        }
    }

    /// When a model is first loaded and used in a process of its own.
    public enum ModelCheck: String, Sendable {
        /// Once for each version of its files: a damaged file can end the process that loads it. Without a helper a
        /// new model is not loaded.
        case whenNew
        /// Never: for a model that is known to work. Its files are checked from outside alone.
        case never
    }

    var parallelStepCount: Int { parallelSteps ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    func validated() throws(DictationError) -> SherpaOnnxConfiguration {
        func check(_ holds: Bool, _ name: String, _ range: String) throws(DictationError) {
            guard holds else {
                throw DictationError(
                    .invalidInput, "The sherpa-onnx configuration's '\(name)' is out of range.",
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
#endif
