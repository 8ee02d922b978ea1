/// The audio that a session takes: a sequence that the engine pulls from, one buffer at a time.
public struct AudioInput: AsyncSequence, Sendable {
    public typealias Element = AudioBuffer
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

    public func makeAsyncIterator() -> Iterator { Iterator(produce: makeNext()) }

    /// Gives the buffers.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let produce: () async throws(DictationError) -> AudioBuffer?

        public mutating func next() async throws(DictationError) -> AudioBuffer? { try await produce() }
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError) -> AudioBuffer? {
            try await produce()
        }
    }
}
