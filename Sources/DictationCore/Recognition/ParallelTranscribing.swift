/// An engine that transcribes a recording on several cores at once.
///
/// The recording is cut at silences and the pieces are decoded side by side. The text does not depend on how many
/// work at it, and memory does not grow with the recording.
public protocol ParallelTranscribing: SpeechEngine {
    /// Transcribes a recording with so many workers and returns when all of it is final.
    ///
    /// The results are final and come in order; `finalizedThrough` of the newest says how far the work has come.
    func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError)
}
