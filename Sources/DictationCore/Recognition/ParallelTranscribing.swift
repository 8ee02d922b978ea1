/// An engine that transcribes a recording on several cores at once.
///
/// The engine cuts the recording at silences and decodes the pieces in parallel. The text does not depend on the number
/// of workers. Memory use does not grow with the length of the recording.
public protocol ParallelTranscribing: SpeechEngine {
    /// Transcribes a recording and returns when all of it is final.
    ///
    /// - Parameters:
    ///   - input: The recording.
    ///   - options: The options.
    ///   - workers: The number of pieces to decode at once.
    ///   - results: Receives final results in order. ``SpeechUpdate/finalizedThrough`` of the newest update shows the
    ///     progress.
    /// - Throws: The error that stopped the work.
    func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError)
}

extension SpeechEngine {
    /// Transcribes a recording in one session, for work that an engine can't divide among workers.
    ///
    /// - Throws: The error that stopped the work.
    package func transcribeInOneSession(
        _ input: AudioInput, options: RecognitionOptions, into results: ResultSink
    ) async throws(DictationError) {
        let session = try await makeSession(options)
        try session.start(input)
        var iterator = session.results.makeAsyncIterator()
        while let update = try await iterator.next() { results.emit(update) }
        _ = try await session.finish()
    }
}
