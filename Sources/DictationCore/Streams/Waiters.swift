import Synchronization

// A checked continuation allocates for each wait, and only it shows Thread Sanitizer that a resumed task follows. So
// builds for debugging use it, and optimized builds the other one. Each is resumed exactly once: whoever takes it out of
// `Waiters`, under the owner's lock, resumes it.
#if DEBUG
package typealias SignalContinuation = CheckedContinuation<Void, Never>
#else
package typealias SignalContinuation = UnsafeContinuation<Void, Never>
#endif

extension SignalContinuation {
    /// Suspends the task until the continuation is resumed.
    static func suspend(_ body: (SignalContinuation) -> Void) async {
        #if DEBUG
        await withCheckedContinuation(body)
        #else
        await withUnsafeContinuation(body)
        #endif
    }
}

/// The tasks that wait for a signal. The first one is stored without an array, because there is seldom another.
package struct Waiters {
    /// The identifier of one wait.
    package struct ID: Hashable, Sendable {
        private static let last = Atomic<UInt64>(0)
        private let number = last.add(1, ordering: .relaxed).newValue

        package init() {}
    }

    private typealias Waiting = (id: ID, continuation: SignalContinuation)

    private var first: Waiting?
    private var others: [Waiting] = []

    package init() {}

    package mutating func add(_ id: ID, _ continuation: SignalContinuation) {
        if first == nil { first = (id, continuation) } else { others.append((id, continuation)) }
    }

    package mutating func take(_ id: ID) -> SignalContinuation? {
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
        fileprivate let first: SignalContinuation?
        fileprivate let others: [SignalContinuation]

        package func resume() {
            first?.resume()
            for continuation in others { continuation.resume() }
        }
    }
}
