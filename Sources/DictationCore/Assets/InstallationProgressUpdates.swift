/// How far an installation is, as it goes on; a slow reader sees the newest value.
public struct InstallationProgressUpdates: AsyncSequence, Sendable {
    /// What the sequence gives.
    public typealias Element = InstallationProgress
    /// It never fails.
    public typealias Failure = Never

    private let mailbox = Mailbox<InstallationProgress, Never>()

    /// Makes updates; the inventory yields to them.
    public init() {}

    /// Tells the reader how far the installation is.
    public func yield(_ progress: InstallationProgress) {
        mailbox.put(progress) { waiting in
            waiting.last = progress
            return !waiting.isEmpty
        }
    }

    /// Ends the updates.
    public func finish() { mailbox.finish() }

    /// Makes the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

    /// Gives the updates.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let mailbox: Mailbox<InstallationProgress, Never>

        /// Waits for the next step; nil at the end.
        public mutating func next() async -> InstallationProgress? { await mailbox.next() }
        /// Waits for the next step on the caller's actor; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> InstallationProgress? {
            await mailbox.next()
        }
    }
}

// One task reads; another asks for an iterator of its own.
@available(*, unavailable) extension InstallationProgressUpdates.Iterator: Sendable {}
