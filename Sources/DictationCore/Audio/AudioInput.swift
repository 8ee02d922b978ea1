/// The audio that a session takes: a sequence that the engine pulls from, one buffer at a time.
public struct AudioInput: AsyncSequence, Sendable {
    /// A buffer.
    public typealias Element = AudioBuffer
    /// The error that ends the input early.
    public typealias Failure = DictationError

    private let makeNext: @Sendable () -> () async throws(DictationError) -> AudioBuffer?

    /// Makes an input from buffers.
    public init(_ buffers: [AudioBuffer]) {
        makeNext = {
            var iterator = buffers.makeIterator()
            return { () throws(DictationError) in iterator.next() }
        }
    }

    /// Makes an input from any sequence of buffers, such as an `AsyncStream` that an app writes to.
    ///
    ///     let (buffers, continuation) = AsyncStream<AudioBuffer>.makeStream()
    ///     let input = AudioInput(buffers)
    ///     continuation.yield(AudioBuffer(silence: 1_600, format: .speech))
    ///     continuation.finish()
    ///
    /// An error of the sequence that is no `DictationError` becomes one with the code `inputFailed`.
    public init<Buffers: AsyncSequence & Sendable>(_ buffers: Buffers) where Buffers.Element == AudioBuffer {
        makeNext = {
            var iterator = buffers.makeAsyncIterator()
            return { () async throws(DictationError) in
                do { return try await iterator.next(isolation: nil) } catch { throw DictationError(ofInput: error) }
            }
        }
    }

    /// Makes an input from a closure that makes, for each reader, the closure that returns the next buffer.
    public init(unfolding makeNext: @escaping @Sendable () -> () async throws(DictationError) -> AudioBuffer?) {
        self.makeNext = makeNext
    }

    /// Makes the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(produce: makeNext()) }

    /// Reads the buffers.
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

extension DictationError {
    /// An error of the sequence that an input was made of.
    init(ofInput error: any Error) {
        self =
            error as? DictationError
            ?? DictationError(
                .inputFailed, "The audio input failed: \(error).",
                recovery: "Look for the cause where its buffers come from.")
    }
}
