/// The tasks that wait for something, kept inside the state that they wait for.
package struct Waiters {
    /// Tells one wait from another.
    package final class ID: Sendable {
        package init() {}
    }

    private var waiting: [(id: ID, continuation: CheckedContinuation<Void, Never>)] = []

    package init() {}

    package mutating func add(_ id: ID, _ continuation: CheckedContinuation<Void, Never>) {
        waiting.append((id, continuation))
    }

    package mutating func take(_ id: ID) -> CheckedContinuation<Void, Never>? {
        guard let index = waiting.firstIndex(where: { $0.id === id }) else { return nil }
        return waiting.remove(at: index).continuation
    }

    package mutating func takeAll() -> Woken {
        defer { waiting = [] }
        return Woken(continuations: waiting.map(\.continuation))
    }

    /// Waits that are over; to be resumed outside the lock.
    package struct Woken {
        fileprivate let continuations: [CheckedContinuation<Void, Never>]
        package func resume() { for continuation in continuations { continuation.resume() } }
    }
}
