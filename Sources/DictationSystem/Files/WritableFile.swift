package import DictationCore

/// A new file that is open for writing at any offset.
package final class WritableFile: Sendable {
    private let file: OpenFile

    /// Creates the file. Throws if the file already exists.
    package init(creating path: String) throws(DictationError) {
        let file = OpenFile(descriptor: open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600), path: path)
        // Only the user may read the file, whatever the umask.
        guard file.descriptor >= 0, fchmod(file.descriptor, 0o600) == 0 else { throw .file("make", path, errno) }
        self.file = file
    }

    package var path: String { file.path }

    /// Writes all bytes at the end of the file. If this throws, the file keeps its old length.
    package func append(_ bytes: UnsafeRawBufferPointer, at end: Int64) throws(DictationError) {
        do throws(DictationError) { try write(bytes, at: end) } catch {
            ftruncate(file.descriptor, off_t(end))
            throw error
        }
    }

    /// Writes all bytes at an offset.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DictationError) {
        try file.write(bytes, at: offset)
    }

    /// Locks the file, to show that this process writes it. `unlock()` or the end of the process releases the lock.
    package func lock() { _ = file.handle.lock(waiting: true) }
    package func unlock() { file.handle.unlock() }

    /// Returns whether a writer has locked the file. On a file system without locks, returns `false`.
    package static func isLocked(_ path: String) -> Bool {
        guard let file = try? OpenFile.reading(path) else { return false }
        return file.handle.lock() == EWOULDBLOCK
    }

    /// Notes on the file that something is missing, which needs no space: nobody may write it any more.
    package func markIncomplete() { _ = fchmod(file.descriptor, 0o400) }

    /// Returns whether something is missing in a file.
    package static func isIncomplete(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o200 == 0
    }

    /// Waits until the disk has stored the bytes, so that they survive a power failure.
    package func sync() { fdatasync(file.descriptor) }
}
