import Glibc

/// A value behind a lock whose changes threads can wait for. Tasks use ``Watched`` instead.
package final class Monitor<State>: @unchecked Sendable {  // `state` is touched only while `condition` is locked.
    private var state: State
    private let condition = ThreadCondition()

    package init(_ state: sending State) { self.state = state }

    /// Reads or changes the value and wakes the waiting threads.
    package func change<Answer>(_ body: (inout State) -> Answer) -> Answer {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return body(&state)
    }

    /// Blocks until the closure returns a value, and returns that value; `nil` when the time runs out first.
    ///
    /// - Parameters:
    ///   - limit: How long to wait; `nil` is forever.
    ///   - find: Looks at the state at once and after each change. It may change the state.
    package func first<Found>(within limit: Duration? = nil, _ find: (inout State) -> Found?) -> Found? {
        let end = limit.map { MonotonicTime(after: min(.longestWait, max(.zero, $0))) }
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let found = find(&state) { return found }
            if let end {
                if !condition.wait(until: end) { return find(&state) }
            } else {
                condition.wait()
            }
        }
    }
}
