#if ModelCatalog
import DictationCore
import DictationFiles
import DictationPlatform

/// A lock between processes and inside one; the system releases it when its holder dies.
final class FileLock: Sendable {
    private let file: OpenFile

    /// Takes the lock; `nil` when someone else has it.
    init?(_ name: FileName, in folder: borrowing Folder) throws(DictationError) {
        file = try folder.openOrCreate(name)
        let code = Self.set(F_WRLCK, file, Self.setLock)
        if code == EAGAIN || code == EACCES { return nil }
        guard code == 0 else { throw .file("lock", file.path, code) }
    }

    /// Takes the lock as soon as it is free.
    init(waitingFor name: FileName, in folder: borrowing Folder) throws(DictationError) {
        file = try folder.openOrCreate(name)
        var code = EINTR
        while code == EINTR { code = Self.set(F_WRLCK, file, Self.setLockWaiting) }
        guard code == 0 else { throw .file("lock", file.path, code) }
    }

    deinit { release() }

    /// Releases it now: who else still holds this object, such as a closure on a thread that is ending, keeps the lock no
    /// longer. Closing alone would leave it with a child that was forked meanwhile and has not yet run its program.
    func release() { _ = Self.set(F_UNLCK, file, Self.setLock) }

    /// Whether someone has the lock.
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

    // Locks of the open file, not of the process: closing another descriptor of the same file doesn't drop them.
    private static let readLock: Int32 = 36
    private static let setLock: Int32 = 37
    private static let setLockWaiting: Int32 = 38
}
#endif
