/// One stretch of recognition: audio goes in, results come out.
///
/// What a session promises:
/// 1. final ranges never overlap and never go back; `finalizedThrough` only grows;
/// 2. a volatile result lies at or after `finalizedThrough`;
/// 3. every volatile result is later replaced by a final one or revoked;
/// 4. `finalize(through:)` returns when everything up to there is final; `finish()` makes all input final and ends
///    the results; `cancel()` ends at once, from any state, also before any input;
/// 5. all of these are bounded by the options' deadline: when it runs out the best text so far is made final, marked
///    incomplete;
/// 6. one error ends the session and reaches every waiter and the results, also when no input comes;
/// 7. how the audio is cut into buffers does not change the final text;
/// 8. a session has one input: a second start throws `alreadyRunning`, one after the end throws `inputAfterEnd`;
/// 9. audio in another format ends the session with `unsupportedFormat`, audio that overlaps what was given with
///    `disorderedAudio`; holes are taken, and times go on being the buffers' own;
/// 10. after the end, however it came, no more input is taken and a pull under way is cancelled; a session that is let
///    go of is cancelled.
///
/// `EngineClause` in DictationTesting has these promises one by one.
public protocol RecognitionSession: Sendable {
    /// The audio that the session takes.
    var audioFormat: AudioFormat { get }
    /// What was understood. One reader at a time; results wait for it.
    var results: RecognitionResults { get }
    /// Begins to take audio from a sequence, at the engine's own pace, until the sequence ends.
    ///
    /// Throws `alreadyRunning` when called a second time, and `inputAfterEnd` when the session has ended.
    func start(_ input: AudioInput) throws(DictationError)
    /// Returns when the audio through a time is final; `nil` is all that was taken so far.
    ///
    /// A time ahead of the audio waits for it. When the deadline comes first the answer is `incomplete`; the session goes
    /// on, and the text becomes final once the engine gets there.
    func finalize(through time: Duration?) async throws(DictationError) -> FinalizationOutcome
    /// Returns when all input is final and the results have ended. End the input first.
    func finish() async throws(DictationError) -> FinalizationOutcome
    /// Ends the session at once; the results end without an error.
    func cancel() async
}

/// Whether a session was done in time.
public enum FinalizationOutcome: Sendable, Hashable {
    /// Everything is final.
    case complete
    /// The deadline ran out; what there was by then is final and marked incomplete.
    case incomplete
}
