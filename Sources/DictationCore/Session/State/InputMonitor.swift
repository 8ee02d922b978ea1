extension DictationSession {
    /// The condition of the input: speech, or one of three ways in which speech is missing.
    @nonexhaustive public enum InputCondition: String, Sendable, Hashable, Codable {
        /// No buffers arrive: the device is unplugged or stuck.
        case noAudio
        /// Every sample is zero: the device is muted, or it is the wrong device.
        case digitalSilence
        /// The sound is too quiet to be speech.
        case noSpeech
        /// The sound is loud enough to be speech.
        case speech
    }
}

extension DictationSession {
    /// The thresholds that tell speech, silence and missing input apart.
    public struct InputThresholds: Sendable, Hashable {
        /// The level from which sound counts as speech.
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

    init(thresholds: DictationSession.InputThresholds) { self.thresholds = thresholds }

    /// The silence since the last speech; zero before the first.
    var silence: Duration { hasHeardSpeech ? end - lastSpeech : .zero }

    /// Takes the level of a piece of audio into account and returns the condition if it changed.
    mutating func hear(_ level: AudioLevel, through end: Duration) -> DictationSession.InputCondition? {
        self.end = max(self.end, end)
        if level.peak > .silence { lastSound = self.end }
        if level.rms >= thresholds.speech {
            lastSpeech = self.end
            hasHeardSpeech = true
            return change(to: .speech)
        }
        if self.end - lastSound >= thresholds.silenceTimeout { return change(to: .digitalSilence) }
        if self.end - lastSpeech >= thresholds.silenceTimeout { return change(to: .noSpeech) }
        return condition == .noAudio ? change(to: .noSpeech) : nil
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
