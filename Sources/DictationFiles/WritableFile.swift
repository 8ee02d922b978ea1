package import DictationCore
import Glibc

/// A new file, open for writing at any place.
package final class WritableFile: Sendable {
    package let path: String
    private let descriptor: Int32

    /// Makes the file. Throws if it exists.
    package init(creating path: String) throws(DictationError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        // Nobody else may read it, and whatever the umask, the user may.
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else {
            throw .file("make", path, errno)
        }
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Writes all of the bytes at the end; when it throws, the file ends where it did.
    package func append(_ bytes: UnsafeRawBufferPointer, at end: Int64) throws(DictationError) {
        do throws(DictationError) { try write(bytes, at: end) } catch {
            ftruncate(descriptor, off_t(end))
            throw error
        }
    }

    /// Writes all of the bytes.
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

    /// Says that somebody writes here, until `unlock`, or until this process ends in whatever way.
    package func lock() { flock(descriptor, LOCK_EX | LOCK_NB) }
    package func unlock() { flock(descriptor, LOCK_UN) }

    /// Whether somebody has the file locked. Where a file system knows no locks, nobody has.
    package static func isLocked(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Waits until the disk has it, so that a power failure leaves it too.
    package func sync() { fdatasync(descriptor) }
}
