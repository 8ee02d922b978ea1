/// The results of a session: updates in order, for one reader.
///
/// Final results wait until they are read. Of volatile results that replace one another, only the newest waits.
public struct RecognitionResults: AsyncSequence, Sendable {
    /// An update.
    public typealias Element = SpeechUpdate
    /// The error that ends the results early.
    public typealias Failure = DictationError

    fileprivate let mailbox: Mailbox<SpeechUpdate, DictationError>

    /// Creates results, and the continuation through which an engine sends them.
    public static func makeStream() -> (results: RecognitionResults, continuation: Continuation) {
        let mailbox = Mailbox<SpeechUpdate, DictationError>(capacity: 1_024)
        return (RecognitionResults(mailbox: mailbox), Continuation(mailbox: mailbox))
    }

    /// The number of updates that wait for the reader.
    package var waiting: Int { mailbox.count }

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

    /// Reads the updates.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let mailbox: Mailbox<SpeechUpdate, DictationError>

        /// Waits for the next update; `nil` at the end.
        public mutating func next() async throws(DictationError) -> SpeechUpdate? { try await mailbox.next() }
        /// Waits for the next update on the caller's actor; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError) -> SpeechUpdate?
        {
            try await mailbox.next()
        }
    }

    /// Sends updates to results that ``makeStream()`` created.
    public struct Continuation: Sendable {
        fileprivate let mailbox: Mailbox<SpeechUpdate, DictationError>

        /// Sends an update to the reader. A result without text becomes the update that reports silence.
        public func yield(_ update: SpeechUpdate) {
            let update = update.withoutEmptyText
            mailbox.put(update) { waiting in
                switch (waiting.last, update) {
                case (.volatile(let last)?, .volatile(let result))
                where result.range.contains(last.range) || result.range == last.range:
                    waiting.last = update
                case (.finalized(let last)?, .finalized(let time)):
                    waiting.last = .finalized(through: Swift.max(last, time))
                case (.voice?, .voice): waiting.last = update
                default: return false
                }
                return true
            }
        }

        /// Waits while 1,024 or more updates wait for the reader. Call this before pulling more audio, so that a slow
        /// reader doesn't fill the memory.
        public func room() async { _ = await mailbox.room() }

        /// Ends the results. The reader still gets the updates that wait.
        public func finish(throwing error: DictationError? = nil) { mailbox.finish(throwing: error) }
    }
}

// An iterator belongs to one task.
@available(*, unavailable) extension RecognitionResults.Iterator: Sendable {}
