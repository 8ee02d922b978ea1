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
        let status = endOfProcess(process)
        connection.read(into: &said, for: .zero, limit: outputLimit)
        return End(status: status, said: String(decoding: said, as: UTF8.self), isStopped: isStopped)
    }

    private static func start(
        _ arguments: [String], _ variables: [String: String], _ folder: borrowing Folder, _ connection: Int32
    ) throws(StartFailure) -> pid_t {
        guard let program = arguments.first else { throw StartFailure(code: ENOENT) }
        let (process, code) = startProcess(
            program, arguments, environment: environment(adding: variables),
            resetting: [SIGINT, SIGPIPE, SIGTERM, SIGHUP]
        ) { actions in
            folder.becomeWorkingFolder(of: &actions)
            posix_spawn_file_actions_adddup2(&actions, connection, STDIN_FILENO)
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, connection, STDERR_FILENO)
        }
        guard code == 0 else { throw StartFailure(code: code) }
        return process
    }

    /// Returns whether the process has ended, and leaves it to be reaped.
    private static func hasEnded(_ process: pid_t) -> Bool {
        var info = siginfo_t()
        let code = waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT)
        // A program that ignores SIGCHLD can't wait for its children, and gets an error once they have ended.
        return code == 0 ? info.si_signo != 0 : errno != EINTR
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
