/// The part of an engine that an implementer writes: audio in, results out, one call at a time.
///
/// A decoder lives in one task, on an executor of its own, so it may block and needs no lock. `DecoderSession` drives
/// it and keeps the contract of `RecognitionSession`: order, deadlines, cancelling, errors, the watermark.
public protocol SpeechDecoder: ~Copyable, SendableMetatype {
    /// Takes a buffer and reports what it understood. Times are the buffers' own; `FrameClock` turns frames into them.
    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError)
    /// Makes everything so far final. More audio may follow.
    mutating func finalize(into results: ResultSink) async throws(DictationError)
}

/// Where a decoder reports what it understood.
public struct ResultSink: Sendable {
    private let receive: @Sendable (SpeechResult) -> Void

    /// Makes a sink from a closure.
    public init(_ receive: @escaping @Sendable (SpeechResult) -> Void) { self.receive = receive }

    /// Reports a result. What would break the contract is put right: a range before the watermark is cut to it.
    public func emit(_ result: SpeechResult) { receive(result) }

    /// Reports that nothing before a time changes any more.
    public func finalized(through time: Duration) {
        receive(SpeechResult(.final, range: time..<time, text: "", finalizedThrough: time))
    }
}
