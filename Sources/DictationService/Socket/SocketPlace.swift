import CSystem
import DictationCore
import DictationSystem

/// Where a service's socket is: a folder that only the user can enter, with the socket and a lock.
struct SocketPlace: Sendable {
    let path: String
    private let folder: String

    init(_ path: String) throws(DictationError) {
        let bytes = Array(path.utf8)
        // The kernel's address has 108 bytes with the final zero.
        guard let slash = bytes.lastIndex(of: 0x2F), bytes.first == 0x2F, slash > 0, slash < bytes.count - 1,
            bytes.count < 108, !bytes.contains(0)
        else {
            throw DictationError(
                .invalidInput, "“\(visible(path))” can't be the path of a socket.",
                recovery: "Give an absolute path of at most 107 bytes, in a folder for the socket alone.")
        }
        self.path = path
        folder = String(decoding: bytes[..<slash], as: UTF8.self)
    }

    /// Returns a socket that is connected to the service.
    ///
    /// - Throws: `notRunning` if no service listens.
    func connect() throws(DictationError) -> Descriptor {
        do throws(SystemError) { return try SocketFile.connect(to: path) } catch { throw reason(of: error) }
    }

    private func reason(of error: SystemError) -> DictationError {
        switch error.code {
        case ENOENT, ECONNREFUSED:
            DictationError(
                .notRunning, "No dictation service is running at “\(visible(path))”.",
                recovery: "Start a service there.")
        case EAGAIN, EINPROGRESS:
            DictationError(
                .timedOut, "The dictation service at “\(visible(path))” does not answer.",
                recovery: "End its process, then start it again.")
        default: .file("connect to", path, error.code)
        }
    }

    /// Listens, after it has made sure that no other service does.
    ///
    /// - Throws: `alreadyRunning` if another service listens; `invalidInput` if the path belongs to anything but a socket.
    func listen() throws(DictationError) -> ListeningSocket {
        let lock = try makeFolderAndLock()
        // A service without the lock, such as one that was handed its socket, may still listen.
        do throws(SystemError) {
            let (number, file) = try SocketFile.listen(at: path)
            return ListeningSocket(socket: Descriptor(number), lock: lock, path: path, file: file)
        } catch {
            switch error.code {
            case EADDRINUSE: throw alreadyRunning
            case ENOTSOCK:
                throw DictationError(
                    .invalidInput, "“\(visible(path))” is not a socket, so no service can listen there.",
                    recovery: "Choose another path, or move it away.")
            default: throw .file("listen at", path, error.code)
            }
        }
    }

    /// Takes over a socket on which another program has begun to listen for this one.
    ///
    /// - Throws: `alreadyRunning` if another service has the lock.
    static func inherit(_ number: Int32) throws(DictationError) -> (SocketPlace, ListeningSocket) {
        let socket = Descriptor(number)
        guard let path = socket.listeningPath else {
            throw DictationError(
                .invalidInput, "Descriptor \(number) is no unix socket with a path that listens.",
                recovery: "In a socket unit of systemd, write ListenStream=%t/dictation/socket.")
        }
        let place = try SocketPlace(path)
        let lock = try place.makeFolderAndLock()
        // Whoever made the socket may have given it another mode.
        guard chmod(path, 0o600) == 0, fcntl(number, F_SETFL, O_NONBLOCK) == 0, fcntl(number, F_SETFD, FD_CLOEXEC) == 0
        else { throw .file("listen at", path, errno) }
        return (place, ListeningSocket(socket: socket, lock: lock, path: path, file: nil))
    }

    /// Creates the folder, for the user alone, if it does not exist. An existing folder keeps its mode.
    ///
    /// - Throws: `permissionDenied` for a folder in which other users could take the socket's place.
    func makeFolder() throws(DictationError) {
        _ = try Folder.making(folder, .own)
        switch -dictation_check_folder(folder) {
        case 0: return
        case EPERM, ENOTDIR:
            throw DictationError(
                .permissionDenied,
                "Other users can write to the folder “\(visible(folder))”, or it belongs to another user or is a link.",
                recovery: "Choose a path in a folder for the socket alone, or take the permission to write from others."
            )
        case let code: throw .file("open", folder, code)
        }
    }

    private func makeFolderAndLock() throws(DictationError) -> Descriptor {
        try makeFolder()
        let path = folder + "/lock"
        let lock = Descriptor(open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600))
        guard lock.number >= 0 else { throw .file("make", path, errno) }
        guard isLock(lock) else {
            throw DictationError(
                .invalidInput, "“\(visible(path))” is not the lock of a dictation service.",
                recovery: "Choose a path in a folder for the socket alone.")
        }
        let code = lock.lock()
        guard code == 0 else { throw code == EWOULDBLOCK ? alreadyRunning : .file("lock", folder, code) }
        // People find the service's process here.
        ftruncate(lock.number, 0)
        _ = Array("\(getpid())\n".utf8).withUnsafeBytes { write(lock.number, $0.baseAddress, $0.count) }
        return lock
    }

    /// Whether a file is new, or holds nothing but the number of a process.
    private func isLock(_ file: borrowing Descriptor) -> Bool {
        var (status, bytes) = (stat(), [UInt8](repeating: 0, count: 16))
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            return false
        }
        let count = pread(file.number, &bytes, bytes.count, 0)
        return (0..<bytes.count).contains(count)
            && bytes[..<count].allSatisfy { (0x30...0x39).contains($0) || $0 == 0x0A }
    }

    private var alreadyRunning: DictationError {
        DictationError(
            .alreadyRunning, "Another dictation service is running at “\(visible(path))”.",
            recovery: "Use it, or end it first.")
    }
}

/// A socket that listens, and the lock that keeps other services away.
final class ListeningSocket: Sendable {
    let socket: Descriptor
    private let lock: Descriptor
    private let path: String
    /// The file to remove at the end; `nil` for a socket that was inherited.
    private let file: SocketFile?

    init(socket: consuming Descriptor, lock: consuming Descriptor, path: String, file: SocketFile?) {
        self.socket = socket
        self.lock = lock
        self.path = path
        self.file = file
    }

    deinit { end() }

    /// Tells when something in the socket's folder changes.
    var changes: FolderWatch { FolderWatch([PathBytes(path).folder ?? "/"]) }

    /// Whether the socket's file is no longer there, so that no new client finds the service.
    var isGone: Bool { file.map { !$0.isThere } ?? false }

    /// Removes the socket's file, unless it was inherited. Only whoever holds the lock may do that.
    func removeFile() { file?.remove() }

    /// Makes room for another service.
    ///
    /// A program that starts at this moment has copies of all descriptors, so closing them is not enough. But a socket that
    /// was inherited listens on, for the next service.
    func end() {
        if file != nil { shutdown(socket.number, Int32(SHUT_RDWR)) }
        lock.unlock()
    }
}
