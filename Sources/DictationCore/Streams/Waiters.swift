import Synchronization

/// The tasks that wait for a signal. The first one is stored without an array, because there is seldom another.
///
/// The continuations are unsafe ones, because a checked one allocates for each wait. Each is resumed exactly once: whoever
/// takes it out of here, under the owner's lock, resumes it.
package struct Waiters {
    /// The identifier of one wait.
    package struct ID: Hashable, Sendable {
        private static let last = Atomic<UInt64>(0)
        private let number = last.add(1, ordering: .relaxed).newValue

        package init() {}
    }

    private typealias Waiting = (id: ID, continuation: UnsafeContinuation<Void, Never>)

    private var first: Waiting?
    private var others: [Waiting] = []

    package init() {}

    package mutating func add(_ id: ID, _ continuation: UnsafeContinuation<Void, Never>) {
        if first == nil { first = (id, continuation) } else { others.append((id, continuation)) }
    }

    package mutating func take(_ id: ID) -> UnsafeContinuation<Void, Never>? {
        if let first, first.id == id {
            self.first = nil
            return first.continuation
        }
        guard let index = others.firstIndex(where: { $0.id == id }) else { return nil }
        return others.remove(at: index).continuation
    }

    package mutating func takeAll() -> Woken {
        defer { self = Waiters() }
        return Woken(first: first?.continuation, others: others.map(\.continuation))
    }

    /// Waits that have ended. Resume them after the lock is released.
    package struct Woken {
        fileprivate let first: UnsafeContinuation<Void, Never>?
        fileprivate let others: [UnsafeContinuation<Void, Never>]

        package func resume() {
            first?.resume()
            for continuation in others { continuation.resume() }
        }
    }
}
