/// What happens in a session, in order.
public struct DictationEvent: Sendable, Hashable {
    /// The take that it happened in.
    public var take: TakeID
    /// What happened.
    public var kind: Kind

    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// Everything as it is now: the first event of every listener, and what a listener gets that was too slow.
        case snapshot(DictationSnapshot)
        /// The state changed.
        case state(DictationState)
        /// The engine is ready; what was said until now is not lost.
        case engineReady
        /// The text changed.
        case text(TextChange)
        /// How loud it is; the newest wins.
        case level(AudioLevel)
        /// What comes from the microphone changed in kind.
        case input(InputCondition)
        /// Audio was lost.
        case gap(AudioGap)
        /// The microphone gives nothing; it is being waited for.
        case interrupted(InterruptionCause)
        /// The microphone gives audio again.
        case resumed(AudioDevice?)
        /// Audio comes from another device.
        case routeChanged(AudioDevice?)
        /// The take's audio is no longer kept on disk; the take itself goes on.
        case spoolFailed(DictationError)
        /// The take is over and this is its text. It comes also when a new take has begun since.
        case ended(Transcript)
    }
}

/// How the text changed: what became final, and the whole of what may still change.
public struct TextChange: Sendable, Hashable {
    /// The results that became final since the last change.
    public var finalized: [SpeechResult]
    /// All that may still change; it takes the place of what was volatile before.
    public var volatileTail: [SpeechResult]
    /// The time through which the text is final.
    public var finalizedThrough: Duration
}

/// Everything that a listener needs to draw a session as it is now.
public struct DictationSnapshot: Sendable, Hashable {
    /// The state.
    public var state: DictationState
    /// The text that is final so far.
    public var transcript: Transcript
    /// The text that may still change.
    public var volatileTail: [SpeechResult]
    /// What comes from the microphone.
    public var input: InputCondition?
    /// Whether the engine is ready.
    public var isEngineReady: Bool
}
