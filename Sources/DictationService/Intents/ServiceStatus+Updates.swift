public import DictationCore

extension ServiceStatus {
    /// The changes of a service's status, for one reader. The first element is the present status.
    ///
    /// A newer status replaces one that was not read yet, so a slow reader is never behind.
    public struct Updates: AsyncSequence, Sendable {
        /// A status.
        public typealias Element = ServiceStatus
        /// The error of a connection that was lost. The updates of a service in this process never fail.
        public typealias Failure = DictationError

        private let makeNext: @Sendable () -> () async throws(DictationError) -> ServiceStatus?

        /// Creates a sequence from closures, for your own ``DictationControl``.
        ///
        /// - Parameter makeNext: Called once for each reader. Returns a closure that returns the next status, or `nil` at
        ///   the end.
        public init(unfolding makeNext: @escaping @Sendable () -> () async throws(DictationError) -> ServiceStatus?) {
            self.makeNext = makeNext
        }

        /// Creates the iterator.
        public func makeAsyncIterator() -> Iterator { Iterator(produce: makeNext()) }

        /// Reads the statuses.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let produce: () async throws(DictationError) -> ServiceStatus?

            /// Waits for a status that differs from the last one; `nil` once the service is released or the task is
            /// cancelled.
            public mutating func next() async throws(DictationError) -> ServiceStatus? { try await produce() }
            /// Waits for a status that differs from the last one, on the caller's actor; `nil` once the service is released
            /// or the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(DictationError)
                -> ServiceStatus?
            {
                try await produce()
            }
        }
    }
}

// An iterator belongs to one task.
@available(*, unavailable) extension ServiceStatus.Updates.Iterator: Sendable {}
