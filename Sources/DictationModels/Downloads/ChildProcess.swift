#if ModelCatalog
import DictationFiles
import DictationPlatform

/// Runs a program in a process group of its own, and collects its error output.
///
/// The group makes sure that Ctrl-C in the terminal does not reach the program, and that no process that the program
/// started survives it.
struct ChildProcess {
    struct End {
        /// The exit code, the negative number of the signal that ended the program, or `nil` if another part of this
        /// process has taken it.
        var status: Int32?
        /// The end of the error output.
        var said: String
        /// Whether the program was killed because it had to stop.
        var isStopped: Bool
    }

    struct StartFailure: Error {
        var code: Int32
    }

    /// The greatest number of bytes kept of the error output.
    private static let outputLimit = 1 << 14
    /// The time between two questions whether to stop.
    private static let turn = Duration.milliseconds(50)

    /// Starts a program, and blocks until it ends.
    ///
    /// The program's standard input ends when this process ends, however that happens.
    ///
    /// - Parameters:
    ///   - arguments: The program, which is looked up in `PATH`, and its arguments.
    ///   - variables: Environment variables to add or replace.
    ///   - folder: The program's working folder.
    ///   - mustStop: Called about twenty times a second. Returns whether to kill the program.
    static func run(
        _ arguments: [String], adding variables: [String: String], in folder: borrowing Folder,
        until mustStop: () -> Bool
    ) throws(StartFailure) -> End {
        let connection = try Connection()
        let process = try start(arguments, variables, folder, connection.theirs)
        connection.closeTheirs()
        var said: [UInt8] = []
        var isStopped = false
        while !isStopped, !hasEnded(process) {
            isStopped = mustStop()
            if !isStopped { connection.read(into: &said, for: turn, limit: outputLimit) }
        }
        // Before the process is reaped, its number can't belong to another process.
        kill(-process, SIGKILL)
        let status = reap(process)
        connection.read(into: &said, for: .zero, limit: outputLimit)
        return End(status: status, said: String(decoding: said, as: UTF8.self), isStopped: isStopped)
    }

    private static func start(
        _ arguments: [String], _ variables: [String: String], _ folder: borrowing Folder, _ connection: Int32
    ) throws(StartFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        folder.becomeWorkingFolder(of: &actions)
        posix_spawn_file_actions_adddup2(&actions, connection, STDIN_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, connection, STDERR_FILENO)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGPIPE, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        guard let program = arguments.first else { throw StartFailure(code: ENOENT) }
        let words = arguments.map { strdup($0) } + [nil]
        let environment = environment(adding: variables).map { strdup($0) } + [nil]
        defer { for text in words + environment { free(text) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, program, &actions, &attributes, words, environment)
        guard code == 0 else { throw StartFailure(code: code) }
        return process
    }

    private static func environment(adding variables: [String: String]) -> [String] {
        var entries = variables.map { $0 + "=" + $1 }
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if !variables.keys.contains(where: { text.utf8.starts(with: ($0 + "=").utf8) }) { entries.append(text) }
            next += 1
        }
        return entries
    }

    /// Returns whether the process has ended, and leaves it to be reaped.
    private static func hasEnded(_ process: pid_t) -> Bool {
        var info = siginfo_t()
        let code = waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT)
        // A program that ignores SIGCHLD can't wait for its children, and gets an error once they have ended.
        return code == 0 ? info.si_signo != 0 : errno != EINTR
    }

    private static func reap(_ process: pid_t) -> Int32? {
        var status: Int32 = 0
        while waitpid(process, &status, 0) != process {
            guard errno == EINTR else { return nil }
        }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : -signal
    }
}

/// Two connected sockets. A child gets one of them as its standard input and its error output.
private final class Connection {
    private var ours: Int32
    private(set) var theirs: Int32

    init() throws(ChildProcess.StartFailure) {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw .init(code: errno)
        }
        ours = pair[0]
        // A number above the standard descriptors, so that `dup2` in the child does not overwrite it.
        theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        let code = errno
        close(pair[1])
        // After a throw, `deinit` closes the open socket.
        guard theirs >= 0 else { throw .init(code: code) }
    }

    deinit {
        closeTheirs()
        if ours >= 0 { close(ours) }
    }

    func closeTheirs() {
        if theirs >= 0 { close(theirs) }
        theirs = -1
    }

    /// Appends the bytes that arrive within a time, and keeps the last ones.
    func read(into bytes: inout [UInt8], for time: Duration, limit: Int) {
        let end = ContinuousClock.now + time
        var block = [UInt8](repeating: 0, count: 1 << 14)
        var isLast = false
        while !isLast {
            let left = ContinuousClock.now.duration(to: end)
            isLast = left <= .zero
            // `poll` ignores a negative descriptor, and then only waits.
            var wait = pollfd(fd: ours, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, isLast ? 0 : Int32((left / .milliseconds(1)).rounded(.up))) > 0 else { continue }
            let count = Glibc.read(ours, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                close(ours)
                ours = -1
                continue
            }
            bytes = (bytes + block[..<count]).suffix(limit)
        }
    }
}
#endif
