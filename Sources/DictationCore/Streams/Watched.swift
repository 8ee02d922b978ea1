import Synchronization

/// A value behind a lock that tasks can wait on.
package final class Watched<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    private let changed = Signal()

    package init(_ value: Value) { state = Mutex(value) }

    package var value: Value { state.withLock { $0 } }

    /// Changes the value and wakes those who wait.
    @discardableResult
    package func change<Answer: Sendable>(_ body: (inout Value) -> Answer) -> Answer {
        let answer = state.withLock { body(&$0) }
        changed.wake()
        return answer
    }

    /// Waits until the closure finds what it looks for; `nil` when the task is cancelled first.
    package func first<Found: Sendable>(_ find: @Sendable (Value) -> Found?) async -> Found? {
        while true {
            if let found = state.withLock({ find($0) }) { return found }
            if Task.isCancelled { return nil }
            await changed.wait { state.withLock { find($0) != nil } }
        }
    }
}
