/// One input of an engine and its results: audio goes in, updates come out.
///
/// - **Choose** ``DecoderSession`` for an engine of your own.
/// - **Use** it through ``DictationSession`` or ``SpeechEngine/transcribe(_:options:converters:capture:workers:)``; or
///   call ``start(_:)``, read ``results`` in another task, and call ``finish()``. Releasing a session cancels it.
/// - **Implement** it only for an engine that answers by itself, such as a network service.
/// - **Test** your own with `EngineConformance` from DictationTesting. The cases of `EngineConformance.Clause` there are what a
///   session promises.
public protocol RecognitionSession: Sendable {
    /// The format of the audio that the session takes.
    var audioFormat: AudioFormat { get }
    /// The recognized text. One task at a time reads it, and results wait for the reader.
    var results: RecognitionResults { get }
    /// Starts to pull audio from a sequence, at the engine's pace, until the sequence ends.
    ///
    /// - Throws: ``DictationError/Code/alreadyRunning`` on a second call, ``DictationError/Code/inputAfterEnd`` after
    ///   the session's end.
    func start(_ input: AudioInput) throws(DictationError)
    /// Waits until the results through a time are final. The session goes on.
    ///
    /// If ``RecognitionOptions/finalizationTimeout`` runs out first, the call returns `incomplete`. The engine goes on,
    /// and the text becomes final later.
    ///
    /// - Parameter time: The time to wait for, which may lie ahead of the audio. `nil` means all audio taken so far.
    /// - Throws: The error that ended the session, or ``DictationError/Code/cancelled``.
    func finalize(through time: Duration?) async throws(DictationError) -> FinalizationOutcome
    /// Waits until all input is final and the results have ended. End the input first.
    ///
    /// If ``RecognitionOptions/finalizationTimeout`` runs out first, the best text so far becomes final and the call
    /// returns `incomplete`.
    ///
    /// - Throws: The error that ended the session, or ``DictationError/Code/cancelled``.
    func finish() async throws(DictationError) -> FinalizationOutcome
    /// Ends the session at once. The results end without an error.
    func cancel() async
}

/// Whether a session finished its work before the deadline.
public enum FinalizationOutcome: Sendable, Hashable {
    /// Everything is final.
    case complete
    /// The deadline came first. Results that ``RecognitionSession/finish()`` made final early are marked incomplete.
    case incomplete
}
