/// The final results of a session's takes, each exactly once.
///
/// A reader gets every result that becomes final after it asked, in the order in which they became final, across takes,
/// until the session is gone. None is ever dropped, merged or replaced by a snapshot: results wait until they are read,
/// so a reader that never comes back costs the memory of the text that was spoken meanwhile.
///
/// A take that still becomes text while a later one records delivers its results as it makes them final. What was
/// delivered cannot be taken back when the take is cancelled later. A retry recognizes its audio again, and its results
/// are those of a new take.
public struct FinalResults: AsyncSequence, Sendable {
    /// A final result.
    public typealias Element = SpeechResult
    /// Final results never fail; how a take ended is in `DictationEvent`.
    public typealias Failure = Never

    let mailbox: Mailbox<SpeechResult, Never>

    /// Makes the iterator; all iterators of one sequence share its results.
    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

    /// Reads the results.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let mailbox: Mailbox<SpeechResult, Never>

        /// The next final result; `nil` once the session is gone or the task is cancelled.
        public mutating func next() async -> SpeechResult? { await mailbox.next() }
        /// The next final result; `nil` once the session is gone or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> SpeechResult? {
            await mailbox.next()
        }
    }
}

// One task reads; another asks for an iterator of its own.
@available(*, unavailable) extension FinalResults.Iterator: Sendable {}
