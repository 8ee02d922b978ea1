extension DictationSession {
    /// The final results of a session's takes, each exactly once.
    ///
    /// A reader gets every result that becomes final after ``DictationSession/finals()`` was called, in order and across
    /// takes, until the session is released. No result is ever dropped, merged or replaced by a snapshot. Unread results
    /// stay in memory for as long as the sequence exists.
    ///
    /// A take that is finalizing while a later one records still delivers its results here. A result that was delivered
    /// stays delivered when its take is cancelled later. A retry is a new take and delivers its results again.
    public struct FinalResults: AsyncSequence, Sendable {
        /// A final result.
        public typealias Element = SpeechResult
        /// Final results never fail; a ``DictationEvent`` says how a take ended.
        public typealias Failure = Never

        let mailbox: Mailbox<SpeechResult, Never>

        /// Creates an iterator; all iterators of one sequence share its results.
        public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

        /// Returns the results one by one.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let mailbox: Mailbox<SpeechResult, Never>

            /// Returns the next final result; `nil` once the session is released or the task is cancelled.
            public mutating func next() async -> SpeechResult? { await mailbox.next() }
            /// Returns the next final result; `nil` once the session is released or the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> SpeechResult? {
                await mailbox.next()
            }
        }
    }
}

// An iterator belongs to one task; another task creates its own.
@available(*, unavailable) extension DictationSession.FinalResults.Iterator: Sendable {}
