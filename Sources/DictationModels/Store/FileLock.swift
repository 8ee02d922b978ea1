#if ModelCatalog
import DictationCore
import DictationSystem

/// A lock on a file. It excludes other processes and other holders in this process. The system releases it when the
/// process ends.
final class FileLock: Sendable {
    private let file: OpenFile

    /// Takes the lock. Returns `nil` if another holder has it.
    init?(_ name: FileName, in folder: borrowing Folder) throws(DictationError) {
        file = try folder.openOrCreate(name)
        let code = Self.set(F_WRLCK, file, Self.setLock)
        if code == EAGAIN || code == EACCES { return nil }
        guard code == 0 else { throw .file("lock", file.path, code) }
    }

    /// Waits until the lock is free, and takes it.
    init(waitingFor name: FileName, in folder: borrowing Folder) throws(DictationError) {
        file = try folder.openOrCreate(name)
        var code = EINTR
        while code == EINTR { code = Self.set(F_WRLCK, file, Self.setLockWaiting) }
        guard code == 0 else { throw .file("lock", file.path, code) }
    }

    deinit { release() }

    /// Releases the lock now, even while other code still refers to this object.
    ///
    /// Closing the file would not be enough: a child process that was forked, and has not started its program yet, also
    /// has the file open and would keep the lock.
    func release() { _ = Self.set(F_UNLCK, file, Self.setLock) }

    /// Returns whether any holder has the lock.
    static func isHeld(_ name: FileName, in folder: borrowing Folder) -> Bool {
        guard let file = try? folder.open(RelativePath(name)) else { return false }
        var request = request(F_WRLCK)
        return fcntl(file.descriptor, readLock, &request) == 0 && request.l_type != Int16(F_UNLCK)
    }

    private static func set(_ type: Int32, _ file: borrowing OpenFile, _ command: Int32) -> Int32 {
        var request = request(type)
        return fcntl(file.descriptor, command, &request) == 0 ? 0 : errno
    }

    private static func request(_ type: Int32) -> flock {
        flock(l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    }

    // These locks belong to the open file, not to the process, so closing another descriptor of the file keeps them.
    private static let readLock: Int32 = 36
    private static let setLock: Int32 = 37
    private static let setLockWaiting: Int32 = 38
}
#endif
