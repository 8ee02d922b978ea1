extension DictationSession {
    /// The condition of the input: speech, or one of three ways in which speech is missing.
    @nonexhaustive public enum InputCondition: String, Sendable, Hashable, Codable {
        /// No buffers arrive: the device is unplugged or stuck.
        case noAudio
        /// Every sample is zero: the device is muted, or it is the wrong device.
        case digitalSilence
        /// No sound is speech, as the engine's voice detector hears it. Without one: the sound is too quiet to be speech.
        case noSpeech
        /// Someone speaks. Without a voice detector: the sound is loud enough to be speech.
        case speech
    }
}

extension DictationSession {
    /// The thresholds that tell speech, silence and missing input apart.
    public struct InputThresholds: Sendable, Hashable {
        /// The level from which sound counts as speech, until an engine's voice detector says what is speech.
        public var speech: Decibels
        /// How long buffers, sound or speech must be missing before ``DictationSession/InputCondition`` says so.
        public var silenceTimeout: Duration

        /// Creates thresholds.
        public init(speech: Decibels = Decibels(-45), silenceTimeout: Duration = .seconds(2)) {
            self.speech = speech
            self.silenceTimeout = silenceTimeout
        }
    }
}

/// The condition of the input, and how long the speaker has been silent.
struct InputMonitor: Sendable {
    let thresholds: DictationSession.InputThresholds
    private(set) var condition: DictationSession.InputCondition?
    private(set) var hasHeardSpeech = false
    private var lastSpeech: Duration = .zero
    private var lastSound: Duration = .zero
    private(set) var end: Duration = .zero
    /// What the engine's voice detector heard, if there is one. It may be behind the audio.
    private var voice: SpeechUpdate.Voice?

    init(thresholds: DictationSession.InputThresholds) { self.thresholds = thresholds }

    /// The silence since the last speech; zero before the first.
    var silence: Duration {
        guard hasHeardSpeech else { return .zero }
        return voice.map { $0.through - ($0.speech?.upperBound ?? .zero) } ?? (end - lastSpeech)
    }

    /// Takes the level of a piece of audio into account and returns the condition if it changed.
    mutating func hear(_ level: AudioLevel, through end: Duration) -> DictationSession.InputCondition? {
        self.end = max(self.end, end)
        if level.peak > .silence { lastSound = self.end }
        if voice == nil, level.rms >= thresholds.speech {
            lastSpeech = self.end
            hasHeardSpeech = true
            return change(to: .speech)
        }
        if self.end - lastSound >= thresholds.silenceTimeout { return change(to: .digitalSilence) }
        if voice == nil, self.end - lastSpeech >= thresholds.silenceTimeout { return change(to: .noSpeech) }
        return condition == .noAudio ? change(to: .noSpeech) : nil
    }

    /// Takes what a voice detector heard into account and returns the condition if it changed. From now on loudness says
    /// nothing about speech.
    mutating func hear(_ voice: SpeechUpdate.Voice) -> DictationSession.InputCondition? {
        self.voice = voice
        hasHeardSpeech = voice.speech != nil
        let silence = voice.through - (voice.speech?.upperBound ?? .zero)
        if voice.speech != nil, silence <= .zero { return change(to: .speech) }
        return silence >= thresholds.silenceTimeout && condition != .digitalSilence ? change(to: .noSpeech) : nil
    }

    /// Notes that no audio arrived for a while and returns the condition if it changed.
    mutating func hearNothing() -> DictationSession.InputCondition? { change(to: .noAudio) }

    /// Forgets the condition, so that the next one is reported even if it is the same. Listeners have reset it too.
    mutating func forgetCondition() { condition = nil }

    private mutating func change(to new: DictationSession.InputCondition) -> DictationSession.InputCondition? {
        guard condition != new else { return nil }
        condition = new
        return new
    }
}
