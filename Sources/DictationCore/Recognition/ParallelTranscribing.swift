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
    /// Transcribes a recording with several workers, or in one session if the engine can't divide the work.
    ///
    /// - Throws: The error that stopped the work.
    package func transcribeRecording(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        if let engine = self as? any ParallelTranscribing {
            return try await engine.transcribe(input, options: options, workers: workers, into: results)
        }
        try await transcribeInOneSession(input, options: options, into: results)
    }

    /// Transcribes a recording in one session, for work that an engine can't divide among workers.
    ///
    /// If the engine does not finish in time after the end of the input, the results say which audio was left out.
    ///
    /// - Throws: The error that stopped the work.
    package func transcribeInOneSession(
        _ input: AudioInput, options: RecognitionOptions, into results: ResultSink
    ) async throws(DictationError) {
        let runtime = DictationRuntime.current
        let session = try await makeSession(options)
        let end = Watched<Duration?>(nil)
        try session.start(input.noting(end))
        // The results of an engine that is stuck end at the deadline of this call.
        let finishing = runtime.task { () async -> Result<FinalizationOutcome, DictationError> in
            guard await end.first({ $0 }) != nil else { return .success(.incomplete) }
            return await .of { () throws(DictationError) in try await session.finish() }
        }
        defer { finishing.cancel() }
        var through: Duration = .zero
        var iterator = session.results.makeAsyncIterator()
        while let update = try await iterator.next() {
            through = max(through, update.finalizedThrough ?? .zero)
            results.emit(update)
        }
        if Task.isCancelled { throw .callCancelled }
        guard let end = end.value else { throw .resultsEndedEarly(of: name) }
        if try await finishing.value.get() == .incomplete, through < end {
            results.emit(.interrupted(SpeechUpdate.EngineInterruption(cause: .unfinished(name), lost: through..<end)))
        }
    }
}

extension AudioInput {
    /// Returns the same audio. At its end, `end` becomes the time at which the audio ended.
    fileprivate func noting(_ end: Watched<Duration?>) -> AudioInput {
        AudioInput {
            var iterator = makeAsyncIterator()
            var last: Duration = .zero
            return { () async throws(DictationError) in
                guard let buffer = try await iterator.next() else {
                    if !Task.isCancelled { end.change { $0 = last } }
                    return nil
                }
                last = buffer.end
                return buffer
            }
        }
    }
}

extension DictationError {
    /// The error of an engine whose results end although audio may follow.
    package static func resultsEndedEarly(of engine: String) -> DictationError {
        DictationError(
            .engineFailed, "The engine “\(engine)” ended its results before the end of the audio.",
            recovery: "Try again, or use another engine.")
    }

    /// The error of an engine that did not finish in time.
    package static func unfinished(_ engine: String) -> DictationError {
        DictationError(
            .timedOut, "The engine “\(engine)” did not finish the text in time.",
            recovery: "Try again, give it a longer finalizationTimeout, or use another engine.")
    }
}
