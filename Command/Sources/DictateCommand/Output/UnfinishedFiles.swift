import Glibc
import Synchronization

/// Incomplete files, to be deleted when the program ends early.
enum UnfinishedFiles {
    private static let paths = Mutex<Set<String>>([])

    static func add(_ path: String) { paths.withLock { _ = $0.insert(path) } }

    /// Forgets a complete file.
    static func forget(_ path: String) { paths.withLock { _ = $0.remove(path) } }

    static func remove(_ path: String) {
        paths.withLock { _ = $0.remove(path) }
        unlink(path)
    }

    /// Deletes all of them.
    static func removeAll() { for path in paths.withLock({ $0 }) { unlink(path) } }
}
