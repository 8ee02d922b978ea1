import Glibc
import Synchronization

/// The files that must not outlive the program as they are: halves of documents, copies of standard input.
enum UnfinishedFiles {
    private static let paths = Mutex<Set<String>>([])

    static func add(_ path: String) { paths.withLock { _ = $0.insert(path) } }

    /// Forgets a file that has become whole.
    static func forget(_ path: String) { paths.withLock { _ = $0.remove(path) } }

    static func remove(_ path: String) {
        paths.withLock { _ = $0.remove(path) }
        unlink(path)
    }

    /// Removes all of them, when the program ends in the middle of something.
    static func removeAll() { for path in paths.withLock({ $0 }) { unlink(path) } }
}
