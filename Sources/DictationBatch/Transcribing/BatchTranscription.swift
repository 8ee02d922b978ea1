public import DictationCore

/// Transcribes any number of recordings, several at once.
///
/// ```swift
/// let batch = BatchTranscription(engine: engine, converters: SampleRateConverter.Provider()) { item in
///     FileCapturer(path: item.path, channel: item.channel, from: item.offset)
/// }
/// for try await result in batch.results(of: BatchManifest(path: "train.jsonl")) {
///     print(result.item.id, result.transcript.error?.message ?? result.transcript.text)
/// }
/// ```
///
/// - **Order**: results come as they are done. The items are taken in groups of up to ``window`` items, the longest of a
///   group first, so that all cores have work until the end.
/// - **Memory**: at most two windows of items and ``workers`` results wait, so memory use does not depend on the number of
///   items. Items with very long lines wait in smaller groups. A slow reader holds the work up.
/// - **Failures**: an item that fails is a result with an error in its transcript, and the others go on. An error that all
///   other items would have too, such as a model that was removed, ends the results. So does an error of the items'
///   sequence, after the results of the items before it.
/// - **Crashes**: in a `HelperEngine`, an item that crashes the engine costs nothing but that item.
///
/// All items share one engine, which loads its model once.
public struct BatchTranscription: Sendable {
    /// The options of the recognition.
    public var options: RecognitionOptions
    /// What an item may take.
    public var limits = BatchTranscription.Limits()
    /// How many items to transcribe at once, from 1 to 1,024.
    public var workers: Int
    /// The number of workers, which is bounded.
    var workerCount: Int { max(1, min(workers, 1_024)) }
    /// The greatest number of items in a group.
    public var window = 256

    let engine: any SpeechEngine
    let converters: any FormatConverterProvider
    let open: @Sendable (BatchItem) throws(DictationError) -> any AudioCapturer

    /// Creates a batch.
    ///
    /// - Parameters:
    ///   - engine: The engine.
    ///   - options: The options of the recognition, such as the language; `nil` for the engine's `transcriptionOptions`.
    ///   - workers: How many items to transcribe at once. The engine's `maximumSessions` may allow fewer, and 1,024
    ///     are the most.
    ///   - converters: The converters from the recordings' formats to the engine's.
    ///   - open: Returns an item's recording, which begins at the item's offset. The batch itself ends it after the
    ///     item's duration.
    public init(
        engine: any SpeechEngine, options: RecognitionOptions? = nil, workers: Int = 1,
        converters: any FormatConverterProvider,
        opening open: @escaping @Sendable (BatchItem) throws(DictationError) -> any AudioCapturer
    ) {
        self.engine = engine
        self.options = options ?? engine.transcriptionOptions
        self.workers = workers
        self.converters = converters
        self.open = open
    }

    /// Returns the results of items. The work starts when they are read, and ends when their iterator is released.
    public func results<Items: AsyncSequence & Sendable>(of items: Items) -> Results where Items.Element == BatchItem {
        Results(batch: self) { work in
            var iterator = items.makeAsyncIterator()
            do {
                while let item = try await iterator.next(isolation: nil), await work.put(item) {}
                return nil
            } catch {
                return error as? DictationError
                    ?? DictationError(
                        .inputFailed, "The list of items ended with an error: \(error).",
                        recovery: "Mend the list, then do the items without a result.")
            }
        }
    }

    /// Returns the results of items. The work starts when they are read, and ends when their iterator is released.
    public func results(of items: [BatchItem]) -> Results {
        Results(batch: self) { work in
            for item in items { guard await work.put(item) else { break } }
            return nil
        }
    }

    /// The results of a batch, as they are done. Each iterator does the work again.
    public struct Results: AsyncSequence, Sendable {
        /// A result.
        public typealias Element = BatchResult
        /// The error that ended the batch.
        public typealias Failure = DictationError

        fileprivate let batch: BatchTranscription
        fileprivate let produce: @Sendable (BatchWork) async -> DictationError?

        /// Creates the iterator, and starts the work.
        public func makeAsyncIterator() -> Iterator { Iterator(run: BatchRun(batch, produce)) }

        /// Reads the results. Releasing it ends the work.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let run: BatchRun

            /// Returns the next result; `nil` after the last, or when the task is cancelled.
            public mutating func next() async throws(DictationError) -> BatchResult? { try await run.results.next() }
            /// Returns the next result; `nil` after the last, or when the task is cancelled.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(DictationError) -> BatchResult? { try await run.results.next() }
        }
    }
}

// An iterator belongs to one task.
@available(*, unavailable) extension BatchTranscription.Results.Iterator: Sendable {}
