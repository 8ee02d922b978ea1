#if ModelCatalog
    import DictationCore
    import Glibc

    /// A lock between processes and inside one; the system lets go of it when its holder dies.
    final class FileLock: Sendable {
        private let file: Int32

        /// Takes the lock; `nil` when someone else has it.
        init?(_ path: String) throws(DictationError) {
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            guard file >= 0 else { throw .file("lock", path) }
            var request = Self.request(F_WRLCK)
            guard fcntl(file, Self.setLock, &request) == 0 else {
                let code = errno
                close(file)
                if code == EAGAIN || code == EACCES { return nil }
                throw .file("lock", path, code)
            }
            self.file = file
        }

        deinit {
            release()
            close(file)
        }

        /// Lets go of it now: who else still holds this object, such as a closure on a thread that is ending, keeps the
        /// lock no longer. Closing alone would leave it with a child that was forked meanwhile and has not yet run its
        /// program.
        func release() {
            var request = Self.request(F_UNLCK)
            _ = fcntl(file, Self.setLock, &request)
        }

        /// Whether someone has the lock.
        static func isHeld(_ path: String) -> Bool {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return false }
            defer { close(file) }
            var request = Self.request(F_WRLCK)
            return fcntl(file, readLock, &request) == 0 && request.l_type != Int16(F_UNLCK)
        }

        private static func request(_ type: Int32) -> flock {
            flock(l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
        }

        // Locks of the open file, not of the process: closing another descriptor of the same file doesn't drop them.
        private static let readLock: Int32 = 36
        private static let setLock: Int32 = 37
    }
#endif
