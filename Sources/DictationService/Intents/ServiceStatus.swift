public import DictationCore

/// The state of a service at one moment: everything that a bar, a panel or an overlay shows.
public struct ServiceStatus: Sendable, Hashable {
    /// What a service does.
    @nonexhaustive public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// No take is under way.
        case idle
        /// The microphone is opening.
        case starting
        /// Audio is recorded.
        case recording
        /// The take is paused and its microphone is closed.
        case paused
        /// Recording has ended, and the engine makes the text final.
        case finalizing
        /// The last take ended with ``ServiceStatus/error``.
        case failed
    }

    /// What one speaker said until another one spoke.
    public struct Line: Sendable, Hashable, Codable {
        /// The speaker; `nil` if it is unknown.
        public var speaker: String?
        /// The text.
        public var text: String

        /// Creates a line.
        public init(speaker: String?, text: String) { (self.speaker, self.text) = (speaker, text) }
    }

    /// The state.
    public var state = State.idle
    /// The present take, or the last one; `nil` before the first.
    public var take: TakeID?
    /// The name of the take's profile; `nil` for the usual one.
    public var profile: String?
    /// The length of the take's audio.
    public var elapsed = Duration.zero
    /// The loudness of the newest audio.
    public var level = Decibels.silence
    /// The take's text that no longer changes.
    public var finalText = ""
    /// The beginning of the text that is not final yet, on which two hypotheses agree. It follows the final text.
    public var stableText = ""
    /// The rest of the text, which changes all the time. It follows the stable text.
    public var changingText = ""
    /// The final text once more, a line for each turn of a speaker; empty while no speaker is known.
    public var lines: [Line] = []
    /// The language.
    public var locale: SpeechLocale
    /// The name of the engine.
    public var engine: String
    /// The name of the engine's model; `nil` if it is unknown.
    public var model: String?
    /// Whether audio has arrived since recording began or went on. Invite the user to speak only then: a sound server that
    /// wakes up can take seconds, and nothing said before is recorded.
    public var hasAudio = false
    /// Whether the engine is ready for the take. Speech before that is kept.
    public var isEngineReady = false
    /// The condition of the input; `nil` while nothing is recorded.
    public var input: DictationSession.InputCondition?
    /// Why the microphone delivers no audio; `nil` while it delivers some.
    public var interruption: CaptureEvent.InterruptionCause?
    /// The error of the last take that failed; `nil` once another take begins.
    public var error: DictationError?
    /// The audio of the take that has no text, with times and causes, for people; `nil` if none is missing.
    public var loss: String?
    /// Why the take's audio is not kept on the disk, so that a crash would lose it; `nil` if it is, or need not be.
    public var spoolError: DictationError?
    /// Why the newest text is not in the journal; `nil` if it is.
    public var journalError: DictationError?
    /// What became of the newest text that was delivered; `nil` if none was.
    public var delivery: TextDelivery?

    /// Creates the status of an idle service.
    public init(engine: String, model: String? = nil, locale: SpeechLocale = "en-US") {
        self.engine = engine
        self.model = model
        self.locale = locale
    }

    /// Whether a take is starting, recording or paused.
    public var isActive: Bool { state == .starting || state == .recording || state == .paused }
    /// All of the present text: final, stable and changing.
    public var text: String { locale.join([finalText, volatileText]) }
    /// The text that is not final yet.
    package var volatileText: String { locale.join([stableText, changingText]) }
}
