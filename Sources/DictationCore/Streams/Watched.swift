import Synchronization

/// A value behind a lock whose changes tasks can wait for.
package final class Watched<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    private let changed = Signal()

    package init(_ value: Value) { state = Mutex(value) }

    package var value: Value { state.withLock { $0 } }

    /// Changes the value and wakes the waiting tasks.
    @discardableResult
    package func change<Answer: Sendable>(_ body: (inout Value) -> Answer) -> Answer {
        let answer = state.withLock { body(&$0) }
        changed.wake()
        return answer
    }

    /// Waits until the closure returns a value for the present state, and returns that value; `nil` when the task is
    /// cancelled first.
    package func first<Found: Sendable>(_ find: @Sendable (Value) -> Found?) async -> Found? {
        while true {
            if let found = state.withLock({ find($0) }) { return found }
            if Task.isCancelled { return nil }
            await changed.wait { state.withLock { find($0) != nil } }
        }
    }
}
