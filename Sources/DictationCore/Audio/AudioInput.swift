/// The audio that a session takes: a sequence that the engine pulls from, one buffer at a time.
public struct AudioInput: AsyncSequence, Sendable {
    /// What the sequence gives.
    public typealias Element = AudioBuffer
    /// How the sequence can end early.
    public typealias Failure = DictationError

    private let makeNext: @Sendable () -> () async throws(DictationError) -> AudioBuffer?

    /// Makes an input from buffers.
    public init(_ buffers: [AudioBuffer]) {
        makeNext = {
            var iterator = buffers.makeIterator()
            return { () throws(DictationError) in iterator.next() }
        }
    }

    /// Makes an input from a closure that makes, for each reader, the closure that gives the next buffer.
    public init(unfolding makeNext: @escaping @Sendable () -> () async throws(DictationError) -> AudioBuffer?) {
        self.makeNext = makeNext
    }

    /// Makes the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(produce: makeNext()) }

    /// Gives the buffers.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let produce: () async throws(DictationError) -> AudioBuffer?

        /// Waits for the next buffer; nil at the end.
        public mutating func next() async throws(DictationError) -> AudioBuffer? { try await produce() }
        /// Waits for the next buffer on the caller's actor; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError) -> AudioBuffer? {
            try await produce()
        }
    }
}

// One task reads; another asks for an iterator of its own.
@available(*, unavailable) extension AudioInput.Iterator: Sendable {}
