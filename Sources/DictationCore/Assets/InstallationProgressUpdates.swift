/// How far an installation is, as it goes on; a slow reader sees the newest value.
public struct InstallationProgressUpdates: AsyncSequence, Sendable {
    public typealias Element = InstallationProgress
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

    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

    /// Gives the updates.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let mailbox: Mailbox<InstallationProgress, Never>

        public mutating func next() async -> InstallationProgress? { await mailbox.next() }
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> InstallationProgress? {
            await mailbox.next()
        }
    }
}
