/// The transcription of a recording: wait for all of its text, or read its results as they become final.
///
///     let text = try await engine.transcribe(file).text()
///
///     for try await result in engine.transcribe(file) { print(result.text) }
///
/// The elements are final results with text, as the transcript has them. To show text that may still change, read
/// ``updates()`` instead. Each iterator, ``text()`` and ``transcript()`` transcribe the recording again.
///
/// A recording may have its speakers on channels of their own. Then each result names its speaker, and the results of all
/// speakers come in the order in which they were said.
public struct Transcription: AsyncSequence, Sendable {
    /// A final result.
    public typealias Element = SpeechResult
    /// The error that ends the sequence early.
    public typealias Failure = DictationError

    /// A recording to transcribe, or the channel of one speaker.
    package struct Source: Sendable {
        let speaker: String?
        let recording: any AudioCapturer

        package init(_ recording: any AudioCapturer, speaker: String? = nil) {
            (self.recording, self.speaker) = (recording, speaker)
        }
    }

    let engine: any SpeechEngine
    /// Returns the sources, which may need a look at the recording.
    let open: @Sendable () async throws(DictationError) -> [Source]
    let converters: any FormatConverterProvider
    let options: RecognitionOptions
    let capture: CaptureOptions
    let workers: Int
    private let work = TranscriptionProgress()

    package init(
        engine: any SpeechEngine, options: RecognitionOptions?, converters: any FormatConverterProvider,
        capture: CaptureOptions = CaptureOptions(), workers: Int,
        open: @escaping @Sendable () async throws(DictationError) -> [Source]
    ) {
        (self.engine, self.converters, self.capture, self.workers) = (engine, converters, capture, workers)
        (self.options, self.open) = (options ?? engine.transcriptionOptions, open)
    }

    /// How far the latest iterator has come.
    public var progress: Progress { work.value }

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
        public func makeAsyncIterator() -> Iterator { Iterator(transcription) }

        /// Transcribes the recording and returns its updates.
        public struct Iterator: AsyncIteratorProtocol {
            private let transcription: Transcription
            /// The speakers; `nil` until the recording is open.
            private var speakers: [SpeakerRun]?
            /// The greatest number of sessions at once.
            private var atOnce = 1
            private var order = SpeakerOrder()
            /// Why the recording could not be opened.
            private var failure: DictationError?

            fileprivate init(_ transcription: Transcription) { self.transcription = transcription }

            /// The text so far with its times. It stays available after an error.
            public var transcript: Transcript {
                let parts = (speakers ?? []).map(\.run.transcript)
                guard var whole = parts.first else {
                    return Transcript(locale: transcription.options.locale, error: failure, isComplete: false)
                }
                guard parts.count > 1 else { return whole }
                whole.segments = order.released
                whole.duration = parts.map(\.duration).max() ?? .zero
                whole.error = parts.lazy.compactMap(\.error).first
                whole.isComplete = parts.allSatisfy(\.isComplete)
                // Every channel has the gaps of the recording.
                for gap in parts.dropFirst().flatMap(\.gaps) where !whole.gaps.contains(gap) { whole.gaps.append(gap) }
                whole.gaps.sort { $0.range.lowerBound < $1.range.lowerBound }
                return whole
            }

            /// Returns the next update; `nil` at the end of the recording, or when the task is cancelled.
            public mutating func next() async throws(DictationError) -> SpeechUpdate? {
                try await next(isolation: #isolation)
            }
            /// Returns the next update; `nil` at the end of the recording, or when the task is cancelled.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(DictationError) -> SpeechUpdate? {
                if speakers == nil { try await open() }
                if speakers?.count == 1 { return try await speakers?[0].run.next() }
                while true {
                    let times = (speakers ?? []).map(\.time)
                    if let update = order.next(through: times.compactMap(\.self).min()) { return update }
                    // The one that is furthest behind holds the others' results back.
                    let open = times.indices.filter { times[$0] != nil }.prefix(atOnce)
                    guard let index = open.min(by: { (times[$0] ?? .zero) < (times[$1] ?? .zero) }) else { break }
                    await speakers?[index].advance(into: &order)
                }
                guard let failure = speakers?.lazy.compactMap(\.failure).first else { return nil }
                for index in speakers?.indices ?? 0..<0 { speakers?[index].failure = nil }
                throw failure
            }

            private mutating func open() async throws(DictationError) {
                guard failure == nil else { return speakers = [] }
                let sources: [Source]
                do throws(DictationError) { sources = try await transcription.open() } catch {
                    failure = error
                    throw error
                }
                atOnce = Swift.max(
                    1, Swift.min(sources.count, transcription.engine.capabilities.maximumSessions ?? .max))
                let workers = Swift.max(1, transcription.workers / atOnce)
                transcription.work.begin(sources.map(\.recording))
                speakers = sources.enumerated().map { [work = transcription.work] index, source in
                    let run = TranscriptionRun(transcription, of: source.recording, workers: workers) {
                        work.note($0, of: index)
                    }
                    return SpeakerRun(name: source.speaker, run: run)
                }
            }
        }
    }

    /// Transcribes the recording and returns all of the text with its times.
    ///
    /// - Throws: The error that ended the transcription early; `cancelled` when the task is cancelled.
    public func transcript() async throws(DictationError) -> Transcript {
        var updates = updates().makeAsyncIterator()
        while try await updates.next() != nil {}
        if Task.isCancelled { throw DictationError(.cancelled, "The transcription was cancelled.") }
        return updates.transcript
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
    ///   - workers: How many cores to use. Most engines of DictationEngines use as many as there are.
    public func transcribe(
        _ source: any AudioCapturer, options: RecognitionOptions? = nil,
        converters: any FormatConverterProvider, capture: CaptureOptions = CaptureOptions(),
        workers: Int = 1
    ) -> Transcription {
        Transcription(engine: self, options: options, converters: converters, capture: capture, workers: workers) {
            () throws(DictationError) in [Transcription.Source(source)]
        }
    }
}
