/// A capturer's events, for one reader. It ends when the capturer stops, or with an error when it can't go on.
public struct CaptureStream: AsyncSequence, Sendable {
    public typealias Element = CaptureEvent
    public typealias Failure = DictationError

    private let pull: @Sendable () async throws(DictationError) -> CaptureEvent?

    /// Makes a stream that asks for each event when its reader does; for files and other sources that wait.
    public init(unfolding pull: @escaping @Sendable () async throws(DictationError) -> CaptureEvent?) {
        self.pull = pull
    }

    public func makeAsyncIterator() -> Iterator { Iterator(pull: pull) }

    /// Gives the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pull: @Sendable () async throws(DictationError) -> CaptureEvent?

        public mutating func next() async throws(DictationError) -> CaptureEvent? { try await pull() }
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError) -> CaptureEvent?
        {
            try await pull()
        }
    }
}
