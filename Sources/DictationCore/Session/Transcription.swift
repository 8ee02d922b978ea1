/// A recording on its way to text: read its results as they come, or wait for all of the text.
///
///     let text = try await engine.transcribe(file).text
///
///     for try await result in engine.transcribe(file) { print(result.text) }
///
/// Each reader transcribes anew.
public struct Transcription: AsyncSequence, Sendable {
    /// A result.
    public typealias Element = SpeechResult
    /// The kind of error that ends the results.
    public typealias Failure = DictationError

    let engine: any SpeechEngine
    let source: any AudioCapturer
    let converters: any FormatConverterProvider
    let options: RecognitionOptions
    let capture: CaptureOptions
    let workers: Int

    /// Makes the iterator, which starts the work with its first result.
    public func makeAsyncIterator() -> Iterator { Iterator(course: TranscriptionCourse(self)) }

    /// Gives the results.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let course: TranscriptionCourse

        /// The text so far with its times, also after an error.
        public var transcript: Transcript { course.transcript }

        /// The next result; `nil` when all of the recording is text, or the task is cancelled.
        public mutating func next() async throws(DictationError) -> SpeechResult? { try await course.next() }
        /// The next result; `nil` when all of the recording is text, or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError) -> SpeechResult?
        {
            try await course.next()
        }
    }

    /// All of the text with its times. Throws what kept the recording from becoming text.
    public var transcript: Transcript {
        get async throws(DictationError) {
            let course = TranscriptionCourse(self)
            while try await course.next() != nil {}
            if Task.isCancelled { throw DictationError(.cancelled, "The transcription was cancelled.") }
            return course.transcript
        }
    }

    /// All of the text.
    public var text: String { get async throws(DictationError) { try await transcript.text } }
}

// One task reads; another asks for an iterator of its own.
@available(*, unavailable) extension Transcription.Iterator: Sendable {}

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
