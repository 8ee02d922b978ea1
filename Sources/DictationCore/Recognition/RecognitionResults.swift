/// A session's results, as updates in order. Final results are kept until they are read; of volatile results that replace
/// one another only the newest is.
public struct RecognitionResults: AsyncSequence, Sendable {
    /// An update.
    public typealias Element = SpeechUpdate
    /// How the sequence can end early.
    public typealias Failure = DictationError

    fileprivate let mailbox: Mailbox<SpeechUpdate, DictationError>

    /// Makes results and the end that an engine writes to.
    public static func makeStream() -> (results: RecognitionResults, continuation: Continuation) {
        let mailbox = Mailbox<SpeechUpdate, DictationError>(capacity: 1_024)
        return (RecognitionResults(mailbox: mailbox), Continuation(mailbox: mailbox))
    }

    /// How many updates wait for the reader.
    package var waiting: Int { mailbox.count }

    /// Makes the iterator.
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

    /// The engine's end of the results.
    public struct Continuation: Sendable {
        fileprivate let mailbox: Mailbox<SpeechUpdate, DictationError>

        /// Sends an update to the reader. A result without text is sent as the silence that it stands for.
        public func yield(_ update: SpeechUpdate) {
            let update = update.withoutEmptyText
            mailbox.put(update) { waiting in
                switch (waiting.last, update) {
                case (.volatile(let last)?, .volatile(let result))
                where result.range.contains(last.range) || result.range == last.range:
                    waiting.last = update
                case (.finalized(let last)?, .finalized(let time)):
                    waiting.last = .finalized(through: Swift.max(last, time))
                default: return false
                }
                return true
            }
        }

        /// Waits until few enough updates wait for the reader; an engine that pulls no audio meanwhile is bounded.
        public func room() async { _ = await mailbox.room() }

        /// Ends the results, after those that wait.
        public func finish(throwing error: DictationError? = nil) { mailbox.finish(throwing: error) }
    }
}

// One task reads; another asks for an iterator of its own.
@available(*, unavailable) extension RecognitionResults.Iterator: Sendable {}
