/// A recording on its way to text: read its phrases as they become final, or wait for all of the text.
///
///     let text = try await engine.transcribe(file).text()
///
///     for try await phrase in engine.transcribe(file) { print(phrase.text) }
///
/// The elements are final results with text. A program that shows progress, or text that may still change, reads
/// ``updates()`` instead. Each reader transcribes the recording again.
public struct Transcription: AsyncSequence, Sendable {
    /// A final result.
    public typealias Element = SpeechResult
    /// The error that ends the results early.
    public typealias Failure = DictationError

    let engine: any SpeechEngine
    let source: any AudioCapturer
    let converters: any FormatConverterProvider
    let options: RecognitionOptions
    let capture: CaptureOptions
    let workers: Int

    /// Makes the iterator, which starts the work when its first result is asked for.
    public func makeAsyncIterator() -> Iterator { Iterator(updates: updates().makeAsyncIterator()) }

    /// Reads the final results.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var updates: Updates.Iterator

        /// The text so far with its times, also after an error.
        public var transcript: Transcript { updates.transcript }

        /// The next final result; `nil` when all of the recording is text, or the task is cancelled.
        public mutating func next() async throws(DictationError) -> SpeechResult? {
            try await next(isolation: #isolation)
        }
        /// The next final result; `nil` when all of the recording is text, or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError) -> SpeechResult?
        {
            while let update = try await updates.next(isolation: actor) {
                if let result = update.finalResult { return result }
            }
            return nil
        }
    }

    /// The steps on the way to the text: final results, the times through which results are final, and volatile results
    /// if the options ask for them. Each reader transcribes the recording again.
    public func updates() -> Updates { Updates(transcription: self) }

    /// The updates of a recording on its way to text.
    public struct Updates: AsyncSequence, Sendable {
        /// An update.
        public typealias Element = SpeechUpdate
        /// The error that ends the updates early.
        public typealias Failure = DictationError

        fileprivate let transcription: Transcription

        /// Makes the iterator, which starts the work when its first update is asked for.
        public func makeAsyncIterator() -> Iterator { Iterator(run: TranscriptionRun(transcription)) }

        /// Reads the updates.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let run: TranscriptionRun

            /// The text so far with its times, also after an error.
            public var transcript: Transcript { run.transcript }

            /// The next update; `nil` when all of the recording is text, or the task is cancelled.
            public mutating func next() async throws(DictationError) -> SpeechUpdate? { try await run.next() }
            /// The next update; `nil` when all of the recording is text, or the task is cancelled.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(DictationError) -> SpeechUpdate? { try await run.next() }
        }
    }

    /// Transcribes the recording and returns all of the text with its times.
    ///
    /// - Throws: What kept the recording from becoming text.
    public func transcript() async throws(DictationError) -> Transcript {
        let run = TranscriptionRun(self)
        while try await run.next() != nil {}
        if Task.isCancelled { throw DictationError(.cancelled, "The transcription was cancelled.") }
        return run.transcript
    }

    /// Transcribes the recording and returns all of the text.
    ///
    /// - Throws: What kept the recording from becoming text.
    public func text() async throws(DictationError) -> String { try await transcript().text }
}

// One task reads; another asks for an iterator of its own.
@available(*, unavailable) extension Transcription.Iterator: Sendable {}
@available(*, unavailable) extension Transcription.Updates.Iterator: Sendable {}

extension SpeechEngine {
    /// Turns a recording into text. A converter is needed when the recording is not in the engine's format.
    ///
    /// An engine that is `ParallelTranscribing` uses as many cores as there are workers; any other one uses one.
    public func transcribe(
        _ source: any AudioCapturer, options: RecognitionOptions = .fileTranscription(),
        converters: any FormatConverterProvider, capture: CaptureOptions = CaptureOptions(),
        workers: Int = 1
    ) -> Transcription {
        Transcription(
            engine: self, source: source, converters: converters, options: options, capture: capture, workers: workers)
    }
}
