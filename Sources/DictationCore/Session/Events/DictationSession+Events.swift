extension DictationSession {
    /// A session's events for one listener; ``DictationSession/events()`` returns a sequence for each listener.
    ///
    /// The first event is a snapshot. No state change and no final text is lost: a listener that is far behind gets a
    /// snapshot that contains them, in place of the events. A newer level or volatile text replaces an unread one.
    public struct Events: AsyncSequence, Sendable {
        /// An event.
        public typealias Element = DictationEvent
        /// Events never fail.
        public typealias Failure = Never

        let listener: Listener

        /// Creates an iterator; all iterators of one sequence share its events.
        public func makeAsyncIterator() -> Iterator { Iterator(listener: listener) }

        /// Waits until the reader has handled every event so far.
        package func dealtWith() async { await listener.dealtWith() }

        /// Returns the events one by one.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let listener: Listener

            /// Returns the next event; `nil` once the session is released or the task is cancelled.
            public mutating func next() async -> DictationEvent? { await listener.next() }
            /// Returns the next event; `nil` once the session is released or the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> DictationEvent? {
                await listener.next()
            }
        }
    }
}

// An iterator belongs to one task; another task creates its own.
@available(*, unavailable) extension DictationSession.Events.Iterator: Sendable {}

/// A listener's queue. The session holds it weakly, so a released listener gets no more events.
final class Listener: Sendable {
    private let queue = Watched(ListenerQueue())
    private let takeSnapshot: @Sendable (Listener) -> DictationEvent?

    /// Creates a listener.
    ///
    /// - Parameter takeSnapshot: Calls ``followSnapshot()`` and reads the session under one lock, so that no event can
    ///   come between the two.
    init(takeSnapshot: @escaping @Sendable (Listener) -> DictationEvent?) { self.takeSnapshot = takeSnapshot }

    func add(_ event: DictationEvent) { queue.change { $0.add(event) } }
    func finish() { queue.change { $0.finish() } }
    func followSnapshot() { queue.change { $0.followSnapshot() } }

    /// Waits until the reader has handled every event so far.
    func dealtWith() async { _ = await queue.first { $0.isDealtWith ? true : nil } }

    func next() async -> DictationEvent? {
        while true {
            switch queue.change({ $0.next() }) {
            case .event(let event): return event
            case .snapshot: return takeSnapshot(self)
            case .end: return nil
            case nil:
                if Task.isCancelled { return nil }
                _ = await queue.first { $0.hasNext ? true : nil }
            }
        }
    }
}
