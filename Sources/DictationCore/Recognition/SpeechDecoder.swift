/// The part of an engine that you write: audio goes in, results come out, one call at a time.
///
/// A decoder runs in one task on one executor, so it may block and needs no lock. ``DecoderSession`` calls it and keeps
/// the other promises of ``RecognitionSession``: the order of results, deadlines, cancelling and errors.
public protocol SpeechDecoder: ~Copyable, SendableMetatype {
    /// Decodes a buffer and reports the results.
    ///
    /// A buffer may be seconds long. Report volatile results while decoding it, not only at its end.
    ///
    /// - Parameters:
    ///   - buffer: The audio. It may begin later than the last buffer ended.
    ///   - results: Receives the results, with the buffers' times. ``DecoderSession/FrameClock`` turns frame counts into these times.
    /// - Throws: An error that ends the session.
    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError)
    /// Reports final results for all audio so far. More audio may follow.
    mutating func finalize(into results: ResultSink) async throws(DictationError)
    /// Reports final results for all audio, at the end of the input. By default, this finalizes.
    mutating func finish(into results: ResultSink) async throws(DictationError)
}

extension SpeechDecoder where Self: ~Copyable {
    /// Finalizes.
    public mutating func finish(into results: ResultSink) async throws(DictationError) {
        try await finalize(into: results)
    }
}

/// Receives a decoder's results.
public struct ResultSink: Sendable {
    private let receive: @Sendable (SpeechUpdate) -> Void
    private let end: @Sendable (DictationError) -> Void
    private var note: @Sendable (Duration) -> Void = { _ in }

    /// Creates a sink that calls a closure with each update.
    ///
    /// - Parameters:
    ///   - receive: Receives the updates.
    ///   - end: Receives the errors of ``fail(_:)``.
    public init(
        _ receive: @escaping @Sendable (SpeechUpdate) -> Void,
        failing end: @escaping @Sendable (DictationError) -> Void = { _ in }
    ) {
        self.receive = receive
        self.end = end
    }

    /// Reports an update.
    ///
    /// ``DecoderSession`` cuts a range that begins before the time through which results are final. A result without
    /// text counts as silence.
    public func emit(_ update: SpeechUpdate) { receive(update) }

    /// Ends the session with an error.
    ///
    /// A decoder throws its errors. Only one that also works between its calls needs this.
    public func fail(_ error: DictationError) { end(error) }

    /// Returns this sink with a closure that learns how much of a recording was decoded.
    package func noting(decoded note: @escaping @Sendable (Duration) -> Void) -> ResultSink {
        var sink = self
        sink.note = note
        return sink
    }

    /// Reports how much of a recording was decoded, whether or not its results can already come in order.
    package func report(decoded length: Duration) { note(length) }
}
