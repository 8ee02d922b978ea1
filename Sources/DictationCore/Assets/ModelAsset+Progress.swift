extension ModelAsset {
    /// The progress of an installation.
    public struct Progress: Sendable, Hashable {
        /// The number of bytes done.
        public var completedBytes: Int64
        /// The total number of bytes; `nil` if unknown.
        public var totalBytes: Int64?
        /// The recent rate in bytes per second; `nil` if unknown.
        public var bytesPerSecond: Double?

        /// Creates a progress value.
        public init(completedBytes: Int64, totalBytes: Int64? = nil, bytesPerSecond: Double? = nil) {
            self.completedBytes = completedBytes
            self.totalBytes = totalBytes
            self.bytesPerSecond = bytesPerSecond
        }

        /// The fraction done, from 0 to 1; `nil` if the total is unknown.
        public var fraction: Double? {
            guard let totalBytes, totalBytes > 0 else { return nil }
            return max(0, min(1, Double(completedBytes) / Double(totalBytes)))
        }

        /// The time left at the recent rate; `nil` if unknown.
        public var timeLeft: Duration? {
            guard let totalBytes, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
            let seconds = max(0, Double(totalBytes) - Double(completedBytes)) / bytesPerSecond
            return seconds < 1e9 ? .seconds(seconds) : nil
        }
    }
}

extension ModelAsset.Progress {
    /// The progress of an installation. A slow reader sees the newest value.
    public struct Updates: AsyncSequence, Sendable {
        /// The progress.
        public typealias Element = ModelAsset.Progress
        /// The sequence never fails.
        public typealias Failure = Never

        private let mailbox = Mailbox<ModelAsset.Progress, Never>()

        /// Creates a sequence of updates, and the continuation through which an inventory sends them.
        public static func makeStream() -> (updates: ModelAsset.Progress.Updates, continuation: Continuation) {
            let updates = ModelAsset.Progress.Updates()
            return (updates, Continuation(mailbox: updates.mailbox))
        }

        /// Sends updates to a sequence that ``makeStream()`` created.
        public struct Continuation: Sendable {
            fileprivate let mailbox: Mailbox<ModelAsset.Progress, Never>

            /// Sends the progress. Replaces an update that the reader has not seen yet.
            public func yield(_ progress: ModelAsset.Progress) {
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
            fileprivate let mailbox: Mailbox<ModelAsset.Progress, Never>

            /// Waits for the next update; `nil` at the end.
            public mutating func next() async -> ModelAsset.Progress? { await mailbox.next() }
            /// Waits for the next update on the caller's actor; `nil` at the end.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never)
                -> ModelAsset.Progress?
            {
                await mailbox.next()
            }
        }
    }
}

// An iterator belongs to one task.
@available(*, unavailable) extension ModelAsset.Progress.Updates.Iterator: Sendable {}
