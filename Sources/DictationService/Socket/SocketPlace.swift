import CSockets
import DictationCore
import DictationFiles
import DictationPlatform

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
        let socket = try makeSocket()
        // A service that was stopped by a debugger accepts nobody, and its queue may be full.
        dictation_limit_sending(socket.number, 5)
        let code = withAddress { Glibc.connect(socket.number, $0, $1) == 0 ? 0 : errno }
        switch code {
        case 0: return socket
        case ENOENT, ECONNREFUSED:
            throw DictationError(
                .notRunning, "No dictation service is running at “\(visible(path))”.",
                recovery: "Start one, for instance with “dictate service”.")
        case EAGAIN, EINPROGRESS:
            throw DictationError(
                .timedOut, "The dictation service at “\(visible(path))” does not answer.",
                recovery: "End its process, then start it again.")
        default: throw .file("connect to", path, code)
        }
    }

    /// Listens, after it has made sure that no other service does.
    ///
    /// - Throws: `alreadyRunning` if another service listens.
    func listen() throws(DictationError) -> ListeningSocket {
        let lock = try makeFolderAndLock()
        // Whoever holds the lock may remove the socket that a killed service left behind. But a service without the
        // lock, such as one that was handed its socket, may still listen.
        var isAlive = true
        do throws(DictationError) { _ = try connect() } catch { isAlive = error.code == .timedOut }
        guard !isAlive else { throw alreadyRunning }
        guard unlink(path) == 0 || errno == ENOENT else { throw .file("replace", path, errno) }
        let socket = try makeSocket()
        // The mode of a socket that is not bound yet becomes the mode of its file, so it is never wider.
        guard fchmod(socket.number, 0o600) == 0,
            withAddress({ bind(socket.number, $0, $1) }) == 0,
            chmod(path, 0o600) == 0, Glibc.listen(socket.number, 128) == 0,
            fcntl(socket.number, F_SETFL, O_NONBLOCK) == 0
        else { throw .file("listen at", path, errno) }
        return ListeningSocket(socket: socket, lock: lock)
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
        return (place, ListeningSocket(socket: socket, lock: lock, isInherited: true))
    }

    /// Removes the socket's file. Only whoever holds the lock may do that.
    func remove() { unlink(path) }

    private func makeFolderAndLock() throws(DictationError) -> Descriptor {
        _ = try Folder.making(folder, .own)
        var status = stat()
        guard lstat(folder, &status) == 0 else { throw .file("open", folder, errno) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), chmod(folder, 0o700) == 0 else {
            throw DictationError(
                .permissionDenied, "The folder “\(visible(folder))” belongs to another user or is a link.",
                recovery: "Remove it, or choose another path for the socket.")
        }
        let lock = Descriptor(open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600))
        guard lock.number >= 0 else { throw .file("make", folder + "/lock", errno) }
        while flock(lock.number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { throw errno == EWOULDBLOCK ? alreadyRunning : .file("lock", folder, errno) }
        }
        // People find the service's process here.
        ftruncate(lock.number, 0)
        _ = Array("\(getpid())\n".utf8).withUnsafeBytes { write(lock.number, $0.baseAddress, $0.count) }
        return lock
    }

    private var alreadyRunning: DictationError {
        DictationError(
            .alreadyRunning, "Another dictation service is running at “\(visible(path))”.",
            recovery: "Use it, or end it first.")
    }

    private func makeSocket() throws(DictationError) -> Descriptor {
        let number = dictation_make_socket()
        guard number >= 0 else { throw .file("make a socket for", path, -number) }
        return Descriptor(number)
    }

    private func withAddress<Answer>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Answer) -> Answer {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// A socket that listens, and the lock that keeps other services away.
final class ListeningSocket: Sendable {
    let socket: Descriptor
    private let lock: Descriptor
    private let isInherited: Bool

    init(socket: consuming Descriptor, lock: consuming Descriptor, isInherited: Bool = false) {
        self.socket = socket
        self.lock = lock
        self.isInherited = isInherited
    }

    deinit { end() }

    /// Makes room for another service.
    ///
    /// A program that starts at this moment has copies of all descriptors, so closing them is not enough. But a socket that
    /// was inherited listens on, for the next service.
    func end() {
        if !isInherited { shutdown(socket.number, Int32(SHUT_RDWR)) }
        flock(lock.number, LOCK_UN)
    }
}
