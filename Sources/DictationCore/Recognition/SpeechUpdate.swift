/// One step on the way from audio to text: what a recognition session's results consist of.
///
///     for try await update in engine.transcribe(file, options: .liveDictation()).updates() {
///         switch update {
///         case .volatile(let result): print("perhaps", result.text)
///         case .final(let result): print(result.text)
///         case .revoked, .finalized: break
///         }
///     }
///
/// A ``TranscriptAccumulator`` does this with all the details.
public enum SpeechUpdate: Sendable, Hashable {
    /// Text that may still change. It replaces every volatile result that its range overlaps.
    case volatile(SpeechResult)
    /// Text that won't change. It replaces every volatile result that its range overlaps, and nothing before the end of
    /// its range changes any more.
    case final(SpeechResult)
    /// The volatile results in this range were no speech after all: remove them.
    case revoked(Range<Duration>)
    /// Nothing before this time changes any more. Silence is reported this way, never as a result without text.
    case finalized(through: Duration)

    /// The text of this update, final or not; `nil` if it has none.
    public var result: SpeechResult? {
        switch self {
        case .volatile(let result), .final(let result): result
        case .revoked, .finalized: nil
        }
    }

    /// The text of this update if it is final.
    public var finalResult: SpeechResult? { if case .final(let result) = self { result } else { nil } }

    /// The time through which this update makes results final; `nil` if it makes none final.
    public var finalizedThrough: Duration? {
        switch self {
        case .final(let result): result.range.upperBound
        case .finalized(let time): time
        case .volatile, .revoked: nil
        }
    }

    /// The same update; results without text become what they mean.
    var withoutEmptyText: SpeechUpdate {
        switch self {
        case .volatile(let result) where !result.hasText: .revoked(result.range)
        case .final(let result) where !result.hasText: .finalized(through: result.range.upperBound)
        case .volatile, .final, .revoked, .finalized: self
        }
    }
}
