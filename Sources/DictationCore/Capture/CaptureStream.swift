/// The events of a capturer, for one reader. The stream ends when the capturer stops, or throws if it fails.
public struct CaptureStream: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = CaptureEvent
    /// The error that ends the stream early.
    public typealias Failure = DictationError

    private let makeNext: @Sendable () -> () async throws(DictationError) -> CaptureEvent?

    /// Creates a stream from closures, for files and other sources that wait for their reader.
    ///
    /// - Parameter makeNext: Called once for each reader. Returns a closure that returns the next event, or `nil` at
    ///   the end.
    public init(unfolding makeNext: @escaping @Sendable () -> () async throws(DictationError) -> CaptureEvent?) {
        self.makeNext = makeNext
    }

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(produce: makeNext()) }

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let produce: () async throws(DictationError) -> CaptureEvent?

        /// Waits for the next event; `nil` at the end.
        public mutating func next() async throws(DictationError) -> CaptureEvent? { try await produce() }
        /// Waits for the next event on the caller's actor; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError) -> CaptureEvent?
        {
            try await produce()
        }
    }
}

// An iterator belongs to one task.
@available(*, unavailable) extension CaptureStream.Iterator: Sendable {}
