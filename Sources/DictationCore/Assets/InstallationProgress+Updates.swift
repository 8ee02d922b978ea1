extension InstallationProgress {
    /// The progress of an installation. A slow reader sees the newest value.
    public struct Updates: AsyncSequence, Sendable {
        /// The progress.
        public typealias Element = InstallationProgress
        /// The sequence never fails.
        public typealias Failure = Never

        private let mailbox = Mailbox<InstallationProgress, Never>()

        /// Creates a sequence of updates, and the continuation through which an inventory sends them.
        public static func makeStream() -> (updates: InstallationProgress.Updates, continuation: Continuation) {
            let updates = InstallationProgress.Updates()
            return (updates, Continuation(mailbox: updates.mailbox))
        }

        /// Sends updates to a sequence that ``makeStream()`` created.
        public struct Continuation: Sendable {
            fileprivate let mailbox: Mailbox<InstallationProgress, Never>

            /// Sends the progress. Replaces an update that the reader has not seen yet.
            public func yield(_ progress: InstallationProgress) {
                mailbox.put(progress) { waiting in
                    waiting.last = progress
                    return !waiting.isEmpty
                }
            }

            /// Ends the sequence.
            public func finish() { mailbox.finish() }
        }

        /// Creates the iterator.
        public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

        /// Reads the updates.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let mailbox: Mailbox<InstallationProgress, Never>

            /// Waits for the next update; `nil` at the end.
            public mutating func next() async -> InstallationProgress? { await mailbox.next() }
            /// Waits for the next update on the caller's actor; `nil` at the end.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never)
                -> InstallationProgress?
            {
                await mailbox.next()
            }
        }
    }
}

// An iterator belongs to one task.
@available(*, unavailable) extension InstallationProgress.Updates.Iterator: Sendable {}
