public import DictationCore

/// A service's answer to an intent.
@nonexhaustive public enum DictationAnswer: Sendable, Hashable {
    /// The take is recorded.
    case recording(TakeID)
    /// The take is paused.
    case paused(TakeID)
    /// The text. No other caller gets the text of a stopped take, except by ``DictationIntent/last``.
    case text(DictatedText)
    /// Another caller ended the take and gets its text.
    case endedByAnother(TakeID)
    /// The take was cancelled, so it has no text.
    case cancelled(TakeID)
    /// There is no take, or no text yet, so there was nothing to do.
    case nothing
    /// The present status.
    case status(ServiceStatus)

    /// The text, if this is the answer with one.
    public var text: DictatedText? { if case .text(let text) = self { text } else { nil } }
}
