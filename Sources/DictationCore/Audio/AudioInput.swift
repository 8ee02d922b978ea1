/// The audio for a recognition session: a sequence that the engine pulls, one buffer at a time.
public struct AudioInput: AsyncSequence, Sendable {
    /// A buffer.
    public typealias Element = AudioBuffer
    /// The error that ends the input early.
    public typealias Failure = DictationError

    private let makeNext: @Sendable () -> () async throws(DictationError) -> AudioBuffer?

    /// Creates an input from an array of buffers.
    public init(_ buffers: [AudioBuffer]) {
        makeNext = {
            var iterator = buffers.makeIterator()
            return { () throws(DictationError) in iterator.next() }
        }
    }

    /// Creates an input from any sequence of buffers, such as an `AsyncStream` that an app writes to.
    ///
    ///     let (buffers, continuation) = AsyncStream<AudioBuffer>.makeStream()
    ///     let input = AudioInput(buffers)
    ///     var timeline = AudioTimeline()
    ///     for samples in [[Int16](repeating: 0, count: 1_600), [Int16](repeating: 0, count: 800)] {
    ///         let range = timeline.advance(by: Int64(samples.count), of: .speech)
    ///         continuation.yield(AudioBuffer(samples, start: range.lowerBound))
    ///     }
    ///     continuation.finish()
    ///
    /// Give each buffer the time at which it starts, as above. A buffer without a time starts at zero, and a session
    /// refuses a buffer that starts before the end of the previous one.
    ///
    /// An error of the sequence becomes a ``DictationError`` with the code ``DictationError/Code/inputFailed``, unless
    /// it is a ``DictationError`` already.
    public init<Buffers: AsyncSequence & Sendable>(_ buffers: Buffers) where Buffers.Element == AudioBuffer {
        makeNext = {
            var iterator = buffers.makeAsyncIterator()
            return { () async throws(DictationError) in
                do { return try await iterator.next(isolation: nil) } catch { throw DictationError(ofInput: error) }
            }
        }
    }

    /// Creates an input from closures.
    ///
    /// - Parameter makeNext: Called once for each reader. Returns a closure that returns the next buffer, or `nil` at
    ///   the end.
    public init(unfolding makeNext: @escaping @Sendable () -> () async throws(DictationError) -> AudioBuffer?) {
        self.makeNext = makeNext
    }

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(produce: makeNext()) }

    /// Reads the buffers.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let produce: () async throws(DictationError) -> AudioBuffer?

        /// Waits for the next buffer; `nil` at the end.
        public mutating func next() async throws(DictationError) -> AudioBuffer? { try await produce() }
        /// Waits for the next buffer on the caller's actor; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError) -> AudioBuffer? {
            try await produce()
        }
    }
}

// An iterator belongs to one task.
@available(*, unavailable) extension AudioInput.Iterator: Sendable {}

extension DictationError {
    /// Wraps an error of the sequence behind an input.
    init(ofInput error: any Error) {
        self =
            error as? DictationError
            ?? DictationError(
                .inputFailed, "The audio input failed: \(error).",
                recovery: "Look for the cause where its buffers come from.")
    }
}
