/// What comes from the microphone: three kinds of nothing, or speech.
public enum InputCondition: String, Sendable, Hashable, Codable {
    /// No buffers arrive: the device is gone or stuck.
    case noAudio
    /// Every sample is zero: the device is muted or the wrong one.
    case digitalSilence
    /// There is sound, but too quiet for speech.
    case noSpeech
    /// There is sound loud enough for speech.
    case speech
}

/// What counts as no input, silence and speech.
public struct InputThresholds: Sendable, Hashable {
    /// Louder than this may be speech.
    public var speech: Decibels
    /// After this long without buffers, sound or speech, the input counts as having none.
    public var silenceTimeout: Duration

    /// Makes thresholds.
    public init(speech: Decibels = Decibels(-45), silenceTimeout: Duration = .seconds(2)) {
        self.speech = speech
        self.silenceTimeout = silenceTimeout
    }
}

/// Follows the input: how it is, and for how long nothing was said.
struct InputMonitor: Sendable {
    let thresholds: InputThresholds
    private(set) var condition: InputCondition?
    private(set) var hasHeardSpeech = false
    private var lastSpeech: Duration = .zero
    private var lastSound: Duration = .zero
    private(set) var end: Duration = .zero

    init(thresholds: InputThresholds) { self.thresholds = thresholds }

    /// How long nothing was said since something was.
    var silence: Duration { hasHeardSpeech ? end - lastSpeech : .zero }

    /// Takes a piece of audio in; answers with the condition when it changed.
    mutating func hear(_ level: AudioLevel, through end: Duration) -> InputCondition? {
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

    /// Notes that nothing arrived for a while.
    mutating func hearNothing() -> InputCondition? { change(to: .noAudio) }

    /// Has the next piece of audio, or the lack of it, be told again: whoever follows has forgotten it too.
    mutating func forgetCondition() { condition = nil }

    private mutating func change(to new: InputCondition) -> InputCondition? {
        guard condition != new else { return nil }
        condition = new
        return new
    }
}
