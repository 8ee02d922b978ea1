import Synchronization

/// Reports a progress that begins again with another helper, but only as far as it grows.
final class GrowingProgress: Sendable {
    private let reached = Mutex(-1.0)
    private let receive: @Sendable (Double) -> Void

    init(_ receive: @escaping @Sendable (Double) -> Void) { self.receive = receive }

    func report(_ fraction: Double) {
        let isNew = reached.withLock { reached in
            guard fraction > reached else { return false }
            reached = fraction
            return true
        }
        if isNew { receive(fraction) }
    }
}
