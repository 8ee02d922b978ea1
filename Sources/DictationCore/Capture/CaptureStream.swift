/// A capturer's events, for one reader. It ends when the capturer stops, or with an error when it can't go on.
public struct CaptureStream: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = CaptureEvent
    /// The error that ends the stream early.
    public typealias Failure = DictationError

    private let makeNext: @Sendable () -> () async throws(DictationError) -> CaptureEvent?

    /// Makes a stream from a closure that makes, for each reader, the closure that returns the next event. An event is
    /// asked for when the reader asks; this is for files and other sources that wait.
    public init(unfolding makeNext: @escaping @Sendable () -> () async throws(DictationError) -> CaptureEvent?) {
        self.makeNext = makeNext
    }

    /// Makes the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(produce: makeNext()) }

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let produce: () async throws(DictationError) -> CaptureEvent?

        /// Waits for the next event; nil at the end.
        public mutating func next() async throws(DictationError) -> CaptureEvent? { try await produce() }
        /// Waits for the next event on the caller's actor; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError) -> CaptureEvent?
        {
            try await produce()
        }
    }
}

// One task reads; another asks for an iterator of its own.
@available(*, unavailable) extension CaptureStream.Iterator: Sendable {}
