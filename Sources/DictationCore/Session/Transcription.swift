/// The transcription of a recording: wait for all of its text, or read its phrases as they become final.
///
///     let text = try await engine.transcribe(file).text()
///
///     for try await phrase in engine.transcribe(file) { print(phrase.text) }
///
/// The elements are final results with text, as the transcript has them. To show progress, or text that may still change, read ``updates()``
/// instead. Each iterator, ``text()`` and ``transcript()`` transcribe the recording again.
public struct Transcription: AsyncSequence, Sendable {
    /// A final result.
    public typealias Element = SpeechResult
    /// The error that ends the sequence early.
    public typealias Failure = DictationError

    let engine: any SpeechEngine
    let source: any AudioCapturer
    let converters: any FormatConverterProvider
    let options: RecognitionOptions
    let capture: CaptureOptions
    let workers: Int
    /// How much of the recording the workers of the latest run have decoded.
    let decoding = Watched(Duration.zero)

    /// How much of the recording several workers have decoded, of which the text may not be there yet; zero with one.
    package var decoded: Duration { decoding.value }

    /// Creates an iterator; the first call of `next()` starts the work.
    public func makeAsyncIterator() -> Iterator { Iterator(updates: updates().makeAsyncIterator()) }

    /// Transcribes the recording and returns its final results.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var updates: Updates.Iterator

        /// The text so far with its times. It stays available after an error.
        public var transcript: Transcript { updates.transcript }

        /// Returns the next final result; `nil` at the end of the recording, or when the task is cancelled.
        public mutating func next() async throws(DictationError) -> SpeechResult? {
            try await next(isolation: #isolation)
        }
        /// Returns the next final result; `nil` at the end of the recording, or when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError) -> SpeechResult?
        {
            while let update = try await updates.next(isolation: actor) {
                if let result = update.finalResult { return result }
            }
            return nil
        }
    }

    /// Returns every update: final results, the times through which the text is final, and volatile results if the
    /// options ask for them.
    ///
    /// Each iterator transcribes the recording again.
    public func updates() -> Updates { Updates(transcription: self) }

    /// The updates of a transcription.
    public struct Updates: AsyncSequence, Sendable {
        /// An update.
        public typealias Element = SpeechUpdate
        /// The error that ends the sequence early.
        public typealias Failure = DictationError

        fileprivate let transcription: Transcription

        /// Creates an iterator; the first call of `next()` starts the work.
        public func makeAsyncIterator() -> Iterator { Iterator(run: TranscriptionRun(transcription)) }

        /// Transcribes the recording and returns its updates.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let run: TranscriptionRun

            /// The text so far with its times. It stays available after an error.
            public var transcript: Transcript { run.transcript }

            /// Returns the next update; `nil` at the end of the recording, or when the task is cancelled.
            public mutating func next() async throws(DictationError) -> SpeechUpdate? { try await run.next() }
            /// Returns the next update; `nil` at the end of the recording, or when the task is cancelled.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(DictationError) -> SpeechUpdate? { try await run.next() }
        }
    }

    /// Transcribes the recording and returns all of the text with its times.
    ///
    /// - Throws: The error that ended the transcription early; `cancelled` when the task is cancelled.
    public func transcript() async throws(DictationError) -> Transcript {
        let run = TranscriptionRun(self)
        while try await run.next() != nil {}
        if Task.isCancelled { throw DictationError(.cancelled, "The transcription was cancelled.") }
        return run.transcript
    }

    /// Transcribes the recording and returns all of the text.
    ///
    /// - Throws: The error that ended the transcription early; `cancelled` when the task is cancelled.
    public func text() async throws(DictationError) -> String { try await transcript().text }
}

// An iterator belongs to one task; another task creates its own.
@available(*, unavailable) extension Transcription.Iterator: Sendable {}
@available(*, unavailable) extension Transcription.Updates.Iterator: Sendable {}

extension SpeechEngine {
    /// Returns the transcription of a recording. The work starts when its text, results or updates are read.
    ///
    /// - Parameters:
    ///   - source: The recording.
    ///   - options: The options of the recognition, such as the language; `nil` for those of
    ///     ``SpeechEngine/transcriptionOptions``.
    ///   - converters: The converters from the recording's audio format to the engine's.
    ///   - capture: The options with which to open the recording.
    ///   - workers: How many cores to use. Only engines that are ``ParallelTranscribing`` use more than one.
    public func transcribe(
        _ source: any AudioCapturer, options: RecognitionOptions? = nil,
        converters: any FormatConverterProvider, capture: CaptureOptions = CaptureOptions(),
        workers: Int = 1
    ) -> Transcription {
        Transcription(
            engine: self, source: source, converters: converters, options: options ?? transcriptionOptions,
            capture: capture, workers: workers)
    }
}
