import Synchronization

/// A value behind a lock that tasks can wait on.
package final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var waiters = Waiters()
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    package var value: Value { state.withLock { $0.value } }

    /// Changes the value and wakes those who wait.
    @discardableResult
    package func change<Answer: Sendable>(_ body: (inout Value) -> Answer) -> Answer {
        let (answer, woken) = state.withLock { state in
            (body(&state.value), state.waiters.takeAll())
        }
        woken.resume()
        return answer
    }

    /// Waits until the closure finds what it looks for; `nil` when the task is cancelled first.
    package func first<Found: Sendable>(_ find: @Sendable (Value) -> Found?) async -> Found? {
        while true {
            if let found = state.withLock({ find($0.value) }) { return found }
            if Task.isCancelled { return nil }
            let id = Waiters.ID()
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if find(state.value) != nil || Task.isCancelled { return true }
                        state.waiters.add(id, continuation)
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.waiters.take(id) }?.resume()
            }
        }
    }
}
