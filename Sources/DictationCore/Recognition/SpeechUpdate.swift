/// One step from audio to text. The results of a recognition session are a sequence of updates.
///
///     for try await update in engine.transcribe(file, options: .liveDictation()).updates() {
///         switch update {
///         case .volatile(let result): print("perhaps", result.text)
///         case .final(let result): print(result.text)
///         default: break
///         }
///     }
///
/// A ``TranscriptAccumulator`` applies updates in full.
@nonexhaustive public enum SpeechUpdate: Sendable, Hashable {
    /// Text that may still change. It replaces every volatile result that its range overlaps.
    case volatile(SpeechResult)
    /// Text that won't change. It replaces every volatile result that its range overlaps. Nothing before the end of its
    /// range changes any more.
    case final(SpeechResult)
    /// A range whose volatile results turned out not to be speech. Remove them.
    case revoked(Range<Duration>)
    /// The time through which results are final. Engines report silence this way, never as a result without text.
    case finalized(through: Duration)
    /// The engine failed and was started again. If audio was left out, nothing before its end changes any more.
    case interrupted(SpeechUpdate.EngineInterruption)
    /// What a voice detector heard so far. It changes no text.
    case voice(SpeechUpdate.Voice)
    /// The speaker finished, and then paused. Speech that follows is a new turn. It changes no text.
    case turnEnded(at: Duration)

    /// The result of this update, volatile or final; `nil` if it has none.
    public var result: SpeechResult? {
        switch self {
        case .volatile(let result), .final(let result): result
        case .revoked, .finalized, .interrupted, .voice, .turnEnded: nil
        }
    }

    /// The result of this update if it is final; otherwise `nil`.
    public var finalResult: SpeechResult? { if case .final(let result) = self { result } else { nil } }

    /// The time through which this update makes results final; `nil` if it makes none final.
    public var finalizedThrough: Duration? {
        switch self {
        case .final(let result): result.range.upperBound
        case .finalized(let time): time
        case .interrupted(let interruption): interruption.lost?.upperBound
        case .volatile, .revoked, .voice, .turnEnded: nil
        }
    }

    /// Returns the update without times far beyond the audio, which ends at `end`.
    ///
    /// Without this, one time far beyond the audio would move all later results to that time.
    package func clamped(to end: Duration) -> SpeechUpdate {
        switch self {
        case .volatile(let result): .volatile(result.clamped(to: end))
        case .final(let result): .final(result.clamped(to: end))
        case .revoked(let range): .revoked(range.clamped(toEnd: end))
        case .finalized(let time): .finalized(through: time.clamped(toEnd: end))
        case .interrupted(let interruption):
            .interrupted(
                SpeechUpdate.EngineInterruption(cause: interruption.cause, lost: interruption.lost?.clamped(toEnd: end))
            )
        case .voice(let voice):
            .voice(Voice(through: voice.through.clamped(toEnd: end), speech: voice.speech?.clamped(toEnd: end)))
        case .turnEnded(let time): .turnEnded(at: time.clamped(toEnd: end))
        }
    }

    /// The same update, except that a result without text becomes `revoked` or `finalized`.
    var withoutEmptyText: SpeechUpdate {
        switch self {
        case .volatile(let result) where !result.hasText: .revoked(result.range)
        case .final(let result) where !result.hasText: .finalized(through: result.range.upperBound)
        case .volatile, .final, .revoked, .finalized, .interrupted, .voice, .turnEnded: self
        }
    }
}

extension SpeechUpdate {
    /// What a voice detector heard from the beginning of a session to now.
    public struct Voice: Sendable, Hashable, Codable {
        /// The time through which the detector heard the audio.
        public var through: Duration
        /// The newest speech; `nil` if there was none. While someone speaks, it ends at ``through``.
        public var speech: Range<Duration>?

        /// Creates what a detector heard.
        public init(through: Duration, speech: Range<Duration>?) {
            self.through = through
            self.speech = speech
        }
    }
}

extension SpeechResult {
    fileprivate func clamped(to end: Duration) -> SpeechResult {
        let inside = range.clamped(toEnd: end)
        guard inside != range else { return self }
        var result = self
        // The end means nothing. What follows must keep its own time, so the text tells how long the result is.
        let spoken = Duration.milliseconds(80) * text.count
        result.range = inside.lowerBound..<min(inside.upperBound, inside.lowerBound + spoken)
        for index in words.indices { result.words[index].range = words[index].range?.clamped(to: result.range) }
        return result
    }
}

extension Duration {
    /// How far beyond the audio an engine's guess may be.
    private static let slack = Duration.seconds(10)

    /// Returns the end of the audio for a time far beyond it.
    fileprivate func clamped(toEnd end: Duration) -> Duration { self > end + Self.slack ? end : self }
}

extension Range<Duration> {
    fileprivate func clamped(toEnd end: Duration) -> Range<Duration> {
        let start = lowerBound.clamped(toEnd: end)
        return start..<Swift.max(start, upperBound.clamped(toEnd: end))
    }
}
