package import DictationCore
import DictationPlatform

/// A new file that is open for writing at any offset.
package final class WritableFile: Sendable {
    package let path: String
    private let descriptor: Int32

    /// Creates the file. Throws if the file already exists.
    package init(creating path: String) throws(DictationError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        // Only the user may read the file, whatever the umask.
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else {
            throw .file("make", path, errno)
        }
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Writes all bytes at the end of the file. If this throws, the file keeps its old length.
    package func append(_ bytes: UnsafeRawBufferPointer, at end: Int64) throws(DictationError) {
        do throws(DictationError) { try write(bytes, at: end) } catch {
            ftruncate(descriptor, off_t(end))
            throw error
        }
    }

    /// Writes all bytes at an offset.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DictationError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw .file("write", path, count < 0 ? errno : ENOSPC)
            }
            written += count
        }
    }

    /// Locks the file, to show that this process writes it. `unlock()` or the end of the process releases the lock.
    package func lock() { flock(descriptor, LOCK_EX | LOCK_NB) }
    package func unlock() { flock(descriptor, LOCK_UN) }

    /// Returns whether a writer has locked the file. On a file system without locks, returns `false`.
    package static func isLocked(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Waits until the disk has stored the bytes, so that they survive a power failure.
    package func sync() { fdatasync(descriptor) }
}
