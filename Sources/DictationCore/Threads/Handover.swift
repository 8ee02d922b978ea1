import Synchronization

/// Values on their way from one owner to the next, who may be on another thread. The compiler sees to it that nobody else
/// keeps one: each comes and goes as a whole.
package final class Handover<Value>: @unchecked Sendable {  // `values` is touched only under the lock.
    private let lock = Mutex(())
    private var values: [Value] = []
    private let limit: Int

    /// - Parameter limit: How many values may wait. The oldest give way to newer ones.
    package init(limit: Int = 1) { self.limit = limit }

    /// Leaves a value for the next owner.
    package func put(_ value: sending Value) {
        lock.withLock { _ in
            if values.count >= limit { values.removeFirst() }
            values.append(value)
        }
    }

    /// Returns the newest value that is wanted, which is the caller's from then on; `nil` if there is none.
    package func take(where isWanted: (Value) -> Bool = { _ in true }) -> sending Value? {
        lock.withLock { _ in values.lastIndex(where: isWanted).map { values.remove(at: $0) } }
    }

    /// Removes values that nobody is to have.
    package func removeAll(where isOver: (Value) -> Bool) { lock.withLock { _ in values.removeAll(where: isOver) } }
}
