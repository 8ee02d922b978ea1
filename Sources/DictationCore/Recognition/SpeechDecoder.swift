/// The part of an engine that an implementer writes: audio in, results out, one call at a time.
///
/// A decoder lives in one task, on an executor of its own, so it may block and needs no lock. `DecoderSession` drives
/// it and keeps the contract of `RecognitionSession`: order, deadlines, cancelling, errors, the watermark.
public protocol SpeechDecoder: ~Copyable, SendableMetatype {
    /// Takes a buffer and reports what it understood. Times are the buffers' own; `FrameClock` turns frames into them.
    ///
    /// A buffer may be seconds long. Report volatile results as the decoder gets through it, not only at its end.
    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError)
    /// Makes everything so far final. More audio may follow.
    mutating func finalize(into results: ResultSink) async throws(DictationError)
}

/// Where a decoder reports what it understood.
public struct ResultSink: Sendable {
    private let receive: @Sendable (SpeechUpdate) -> Void

    /// Makes a sink from a closure.
    public init(_ receive: @escaping @Sendable (SpeechUpdate) -> Void) { self.receive = receive }

    /// Reports an update. `DecoderSession` corrects what would break the contract: a range that begins before the time
    /// through which results are final is cut to it, and a result without text counts as silence.
    public func emit(_ update: SpeechUpdate) { receive(update) }
}
