import DictationCore
import Synchronization

/// The progress of two pieces of work as one fraction that never goes back.
final class JoinedProgress: Sendable {
    private let progress: @Sendable (Double) -> Void
    private let parts = Mutex([0.0, 0.0])

    init(_ progress: @escaping @Sendable (Double) -> Void) { self.progress = progress }

    func report(_ fraction: Double, of part: Int) {
        parts.withLock { parts in
            guard parts.indices.contains(part), fraction > parts[part] else { return }
            parts[part] = fraction
            progress(parts.reduce(0, +) / Double(parts.count))
        }
    }
}
