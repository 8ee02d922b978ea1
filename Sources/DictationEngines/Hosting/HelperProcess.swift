import DictationCore
import DictationPlatform

/// A helper process for one request.
///
/// The request and the answer use their own socket. The C library's output goes to another socket, so that no model can
/// print an answer.
struct HelperProcess {
    /// The outcome of a request.
    enum End: Equatable {
        /// The helper ended. The answer is `nil` unless the helper exited with 0 and answered this request.
        case ended(HelperAnswer.Outcome?, status: Int32, said: String)
        /// The helper did not end in time and was killed.
        case late
    }

    /// The greatest number of bytes kept of the helper's output.
    private static let outputLimit = 1 << 16

    /// Starts a helper with a request, and blocks until the helper ends or the time is over.
    static func run(
        _ request: HelperRequest, program: String, within limit: Duration
    ) throws(DictationError) -> End {
        let end = ContinuousClock.now + limit
        let answers = try SocketPair()
        let messages = try SocketPair()
        let process = try start(program, answers: answers.theirs, messages: messages.theirs, until: end)
        answers.closeTheirs()
        messages.closeTheirs()
        // When this fails, the helper gets no request and ends without an answer.
        try? request.send(to: answers.ours)
        shutdown(answers.ours, Int32(SHUT_WR))
        // Keeps the sockets open until this function returns.
        defer { withExtendedLifetime((answers, messages)) {} }
        guard let (answer, said) = read(answers.ours, messages.ours, until: end),
            let status = wait(for: process, until: end)
        else {
            // The whole group, so that no process that the helper started survives.
            kill(-process, SIGKILL)
            _ = wait(for: process, until: nil)
            return .late
        }
        let verdict = try? HelperAnswer(helperMessage: answer)
        let isInOrder = status == 0 && verdict?.nonce == request.nonce
        return .ended(isInOrder ? verdict?.outcome : nil, status: status, said: String(decoding: said, as: UTF8.self))
    }

    private static func start(
        _ program: String, answers: Int32, messages: Int32, until end: ContinuousClock.Instant
    ) throws(DictationError) -> pid_t {
        let variables = environment(adding: HelperRole.environment)
        while true {
            let (process, code) = startProcess(
                program, ["dictation-helper", HelperRole.argument], environment: variables,
                resetting: [SIGABRT, SIGPIPE, SIGTERM]
            ) { actions in
                posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
                posix_spawn_file_actions_adddup2(&actions, messages, STDOUT_FILENO)
                posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO)
                posix_spawn_file_actions_adddup2(&actions, answers, HelperRole.connection)
            }
            if code == 0 { return process }
            // The program file is busy while another process still has it open for writing.
            guard code == ETXTBSY, ContinuousClock.now < end, poll(nil, 0, 10) == 0 else { throw failed(code) }
        }
    }

    /// Returns everything from both sockets until their other ends close, or `nil` when the time is over first.
    private static func read(
        _ answers: Int32, _ messages: Int32, until end: ContinuousClock.Instant
    ) -> (answer: [UInt8], said: [UInt8])? {
        var open = [
            pollfd(fd: answers, events: Int16(POLLIN), revents: 0),
            pollfd(fd: messages, events: Int16(POLLIN), revents: 0),
        ]
        var received: [[UInt8]] = [[], []]
        var part = [UInt8](repeating: 0, count: 4_096)
        while open.contains(where: { $0.fd >= 0 }) {
            let left = (ContinuousClock.now.duration(to: end) / .milliseconds(1)).rounded(.up)
            guard left > 0 else { return nil }
            guard poll(&open, 2, Int32(min(left, 1_000_000))) > 0 else { continue }
            for index in open.indices where open[index].fd >= 0 && open[index].revents != 0 {
                let count = Glibc.read(open[index].fd, &part, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    // `poll` ignores a negative descriptor.
                    open[index].fd = -1
                    continue
                }
                received[index] += part[..<count]
                let surplus = received[index].count - outputLimit
                if surplus > 0 { received[index].removeFirst(surplus) }
            }
        }
        return (received[0], received[1])
    }

    /// Waits for a process to end.
    ///
    /// - Returns: The exit code, or the negative number of the signal that ended the process, or `nil` when the time is
    ///   over first.
    private static func wait(for process: pid_t, until end: ContinuousClock.Instant?) -> Int32? {
        var status: Int32 = 0
        while true {
            let found = waitpid(process, &status, end == nil ? 0 : WNOHANG)
            if found == process { break }
            // A program that ignores SIGCHLD gets no status. Then only the answer's nonce counts.
            if found < 0, errno == ECHILD { return 0 }
            guard found == 0, let end else { continue }
            guard ContinuousClock.now < end else { return nil }
            poll(nil, 0, 1)
        }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : -signal
    }

    /// Returns the signal or exit code that ended the helper, and the most telling line of its output. The output may
    /// come from the model's maker, so no decision depends on it.
    static func underlying(
        _ status: Int32, _ said: String, domain: String = "sherpa-onnx"
    ) -> DictationError.Underlying {
        let lines = said.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0 == " " } }
        let telling = lines.last { $0.contains("what()") } ?? lines.last { !$0.isEmpty }
        return .init(domain: domain, code: Int(abs(status)), message: telling.map { String($0.prefix(500)) })
    }

    fileprivate static func failed(_ code: Int32) -> DictationError {
        DictationError(
            .engineFailed, "The helper that checks the model can't be started.",
            recovery: "Check that DICTATION_HELPER, or dictation-helper beside the program, may be run; or set "
                + "modelCheck to .never for a model that is known to work.",
            underlying: .init(domain: "posix_spawn", code: Int(code), message: String(cString: strerror(code))))
    }
}

/// Two connected sockets. `socketpair` makes them close-on-exec in one step, so that no other process inherits them.
private final class SocketPair {
    let ours: Int32
    private(set) var theirs: Int32

    init() throws(DictationError) {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { throw HelperProcess.failed(errno) }
        ours = pair[0]
        // A number above the descriptors that the helper uses, so that `dup2` in the helper does not overwrite it.
        theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, HelperRole.connection + 1)
        let code = errno
        close(pair[1])
        // After a throw, `deinit` closes the open sockets.
        guard theirs >= 0 else { throw HelperProcess.failed(code) }
    }

    func closeTheirs() {
        close(theirs)
        theirs = -1
    }

    deinit {
        close(ours)
        if theirs >= 0 { close(theirs) }
    }
}
