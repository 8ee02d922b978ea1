/// A session's events, for one listener; the session gives each listener its own.
///
/// The first is a snapshot. State changes and final text are never dropped: a listener that is far behind gets a
/// snapshot that has them in place of the events. Of levels and volatile text the newest wins.
public struct DictationEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = DictationEvent
    /// Events never fail.
    public typealias Failure = Never

    let listener: Listener

    /// Makes the iterator; all iterators of one sequence share its events.
    public func makeAsyncIterator() -> Iterator { Iterator(listener: listener) }

    /// Gives the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let listener: Listener

        /// The next event; `nil` once the session is gone or the task is cancelled.
        public mutating func next() async -> DictationEvent? { await listener.next() }
        /// The next event; `nil` once the session is gone or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> DictationEvent? {
            await listener.next()
        }
    }
}

// One task reads; another asks for an iterator of its own.
@available(*, unavailable) extension DictationEvents.Iterator: Sendable {}

/// A listener's queue. Once nobody holds it, the session forgets it.
final class Listener: Sendable {
    private let queue = Watched(ListenerQueue())
    private let takeSnapshot: @Sendable (Listener) -> DictationEvent?

    /// The closure calls `followSnapshot()` and looks at the session in one step, with no event in between.
    init(takeSnapshot: @escaping @Sendable (Listener) -> DictationEvent?) { self.takeSnapshot = takeSnapshot }

    func add(_ event: DictationEvent) { queue.change { $0.add(event) } }
    func finish() { queue.change { $0.finish() } }
    func followSnapshot() { queue.change { $0.followSnapshot() } }

    /// Waits until the reader has dealt with everything so far.
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
