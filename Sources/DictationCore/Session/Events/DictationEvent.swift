/// Something that happened in a session.
///
/// A listener receives takes in order: once a take began, the only event of an earlier take is its end. Each take ends
/// with exactly one ``Kind/ended(_:)`` or ``Kind/cancelled``, and neither is ever dropped.
public struct DictationEvent: Sendable, Hashable {
    /// The take in which the event happened.
    public var take: TakeID
    /// The length of the take's audio when the event happened.
    public var elapsed: Duration
    /// What happened.
    public var kind: Kind

    /// Creates an event.
    public init(take: TakeID, elapsed: Duration = .zero, kind: Kind) {
        self.take = take
        self.elapsed = elapsed
        self.kind = kind
    }

    /// What happened.
    @nonexhaustive public enum Kind: Sendable, Hashable {
        /// The whole state of the session. It is the first event of every listener, and a listener that is too slow
        /// gets it in place of the events it missed.
        case snapshot(DictationSession.Snapshot)
        /// The state changed.
        case state(DictationSession.State)
        /// The engine is ready. The speech before this event was kept and is recognized too.
        case engineReady
        /// The text changed.
        case text(DictationEvent.TextChange)
        /// The loudness of the newest audio. A newer level replaces one that was not read yet.
        case level(AudioLevel)
        /// The condition of the input changed, such as from silence to speech.
        case input(DictationSession.InputCondition)
        /// The speaker finished, and then paused. What follows is a new turn. An engine that hears this says so soon after
        /// the text became final.
        case turnEnded(at: Duration)
        /// Audio was lost.
        case gap(AudioGap)
        /// The engine failed and was started again. If audio was left out, a gap follows.
        case engineInterrupted(SpeechUpdate.EngineInterruption)
        /// The microphone stopped delivering audio; the capturer tries to reopen it.
        case interrupted(CaptureEvent.InterruptionCause)
        /// The microphone delivers audio again.
        case resumed(AudioDevice?)
        /// The audio now comes from another device.
        case routeChanged(AudioDevice?)
        /// The spool could not keep some or all of the take's audio. The take itself goes on.
        case spoolFailed(DictationError)
        /// The take ended with this text. This event may follow the start of a later take.
        case ended(Transcript)
        /// The take was cancelled and its text thrown away.
        case cancelled
    }
}

extension DictationEvent {
    /// A change of the text: the results that became final, and all of the text that may still change.
    public struct TextChange: Sendable, Hashable {
        /// The results that became final since the last change.
        public var finalResults: [SpeechResult]
        /// All of the text that may still change. It replaces the previous volatile text.
        public var volatileTail: [SpeechResult]
        /// The time through which the text is final.
        public var finalizedThrough: Duration
        /// Whether the engine removed volatile text since the last change without replacing it.
        public var revokesText: Bool

        /// Whether stable text starts over, because some volatile text became final or was removed.
        public var startsOver: Bool { !finalResults.isEmpty || revokesText }

        /// Creates a change.
        public init(
            finalResults: [SpeechResult] = [], volatileTail: [SpeechResult] = [], finalizedThrough: Duration = .zero,
            revokesText: Bool = false
        ) {
            self.finalResults = finalResults
            self.volatileTail = volatileTail
            self.finalizedThrough = finalizedThrough
            self.revokesText = revokesText
        }

        /// Adds the change that followed this one.
        mutating func merge(_ next: DictationEvent.TextChange) {
            finalResults += next.finalResults
            volatileTail = next.volatileTail
            finalizedThrough = next.finalizedThrough
            revokesText = revokesText || next.revokesText
        }
    }
}
