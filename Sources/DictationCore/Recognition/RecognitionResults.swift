/// A session's results. Finals are kept until they are read; of volatile results that replace one another the newest wins.
public struct RecognitionResults: AsyncSequence, Sendable {
    /// What the sequence gives.
    public typealias Element = SpeechResult
    /// How the sequence can end early.
    public typealias Failure = DictationError

    fileprivate let mailbox: Mailbox<SpeechResult, DictationError>

    /// Makes results and the end that an engine writes to.
    public static func makeStream() -> (results: RecognitionResults, continuation: Continuation) {
        let mailbox = Mailbox<SpeechResult, DictationError>(capacity: 1_024)
        return (RecognitionResults(mailbox: mailbox), Continuation(mailbox: mailbox))
    }

    /// How many results wait for the reader.
    package var waiting: Int { mailbox.count }

    /// Makes the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

    /// Gives the results.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let mailbox: Mailbox<SpeechResult, DictationError>

        /// Waits for the next result; nil at the end.
        public mutating func next() async throws(DictationError) -> SpeechResult? { try await mailbox.next() }
        /// Waits for the next result on the caller's actor; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError) -> SpeechResult?
        {
            try await mailbox.next()
        }
    }

    /// The engine's end of the results.
    public struct Continuation: Sendable {
        fileprivate let mailbox: Mailbox<SpeechResult, DictationError>

        /// Gives a result to the reader.
        public func yield(_ result: SpeechResult) {
            mailbox.put(result) { waiting in
                guard result.status == .volatile, let last = waiting.last, last.status == .volatile,
                    result.range.contains(last.range) || result.range == last.range
                else { return false }
                waiting.last = result
                return true
            }
        }

        /// Waits until few enough results wait for the reader; an engine that pulls no audio meanwhile is bounded.
        public func room() async { _ = await mailbox.room() }

        /// Ends the results, after those that wait.
        public func finish(throwing error: DictationError? = nil) { mailbox.finish(throwing: error) }
    }
}

// One task reads; another asks for an iterator of its own.
@available(*, unavailable) extension RecognitionResults.Iterator: Sendable {}
