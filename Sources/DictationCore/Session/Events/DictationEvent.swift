/// Something that happened in a session.
///
/// A listener hears of takes in order: nothing comes from an earlier take once a later one began, except its end.
/// Each take ends with exactly one `ended` or `cancelled`, and neither is ever dropped.
public struct DictationEvent: Sendable, Hashable {
    /// The take in which it happened.
    public var take: TakeID
    /// How much audio the take had by then.
    public var elapsed: Duration
    /// What happened.
    public var kind: Kind

    /// Makes an event.
    public init(take: TakeID, elapsed: Duration = .zero, kind: Kind) {
        self.take = take
        self.elapsed = elapsed
        self.kind = kind
    }

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
        /// The microphone stopped giving audio; the capturer tries to get it back.
        case interrupted(InterruptionCause)
        /// The microphone gives audio again.
        case resumed(AudioDevice?)
        /// Audio comes from another device.
        case routeChanged(AudioDevice?)
        /// Some or all of the take's audio is not kept on disk; the take itself goes on.
        case spoolFailed(DictationError)
        /// The take ended with this text. It may come after a later take began.
        case ended(Transcript)
        /// The take was thrown away, with all of its text.
        case cancelled
    }
}

/// How the text changed: what became final, and the whole of what may still change.
public struct TextChange: Sendable, Hashable {
    /// The results that became final since the last change.
    public var finalized: [SpeechResult]
    /// All text that may still change; it replaces what was volatile before.
    public var volatileTail: [SpeechResult]
    /// The time through which the text is final.
    public var finalizedThrough: Duration
    /// Whether the engine revoked volatile text since the last change, rather than replaced it.
    public var revokesText: Bool

    /// Makes a change.
    public init(
        finalized: [SpeechResult] = [], volatileTail: [SpeechResult] = [], finalizedThrough: Duration = .zero,
        revokesText: Bool = false
    ) {
        self.finalized = finalized
        self.volatileTail = volatileTail
        self.finalizedThrough = finalizedThrough
        self.revokesText = revokesText
    }

    /// The change together with the one that followed it.
    mutating func merge(_ next: TextChange) {
        finalized += next.finalized
        volatileTail = next.volatileTail
        finalizedThrough = next.finalizedThrough
        revokesText = revokesText || next.revokesText
    }
}
