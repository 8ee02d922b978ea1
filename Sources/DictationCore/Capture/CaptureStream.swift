/// A capturer's events, for one reader. It ends when the capturer stops, or with an error when it can't go on.
public struct CaptureStream: AsyncSequence, Sendable {
    /// What the sequence gives.
    public typealias Element = CaptureEvent
    /// How the sequence can end early.
    public typealias Failure = DictationError

    private let pull: @Sendable () async throws(DictationError) -> CaptureEvent?

    /// Makes a stream that asks for each event when its reader does; for files and other sources that wait.
    public init(unfolding pull: @escaping @Sendable () async throws(DictationError) -> CaptureEvent?) {
        self.pull = pull
    }

    /// Makes the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(pull: pull) }

    /// Gives the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pull: @Sendable () async throws(DictationError) -> CaptureEvent?

        /// Waits for the next event; nil at the end.
        public mutating func next() async throws(DictationError) -> CaptureEvent? { try await pull() }
        /// Waits for the next event on the caller's actor; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError) -> CaptureEvent?
        {
            try await pull()
        }
    }
}

// One task reads; another asks for an iterator of its own.
@available(*, unavailable) extension CaptureStream.Iterator: Sendable {}
