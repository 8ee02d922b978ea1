/// A started program that reads one open file, and whose output is read as it comes.
///
/// Releasing it kills the program. If this process is killed, the program's next write ends it.
package final class ReadingProgram {
    /// The code of the system error because of which a program did not start.
    package struct Failure: Error {
        package var code: Int32
    }

    /// The descriptor of the file in the program.
    package static let descriptor: Int32 = 3
    /// The greatest number of bytes kept of the error output.
    private static let messageLimit = 1 << 13

    private let process: pid_t
    private let output: Connection
    private let errors: Connection
    /// How much processor time the program may take without any output, and how long it may take none, in seconds.
    private let patience: (work: Int, rest: Int)
    private var said: [UInt8] = []
    private var status: Int32??

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: The program, which is looked up in `PATH`, and its arguments.
    ///   - environment: The environment variables, each as `NAME=value`.
    ///   - file: The descriptor of the open file.
    ///   - patience: The program is killed if it takes more than `work` seconds of processor time without any output, or
    ///     waits for `rest` seconds without taking any.
    package init(
        _ program: [String], environment: [String], reading file: Int32, patience: (work: Int, rest: Int)
    ) throws(Failure) {
        let (output, errors) = (try Connection(), try Connection())
        // A number that the actions below do not overwrite.
        let source = fcntl(file, F_DUPFD_CLOEXEC, Self.descriptor + 1)
        guard source >= 0 else { throw Failure(code: errno) }
        defer { close(source) }
        let (process, code) = startProcess(
            program.first ?? "", program, environment: environment, resetting: [SIGINT, SIGPIPE, SIGTERM, SIGXCPU]
        ) { actions in
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, output.theirs, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, errors.theirs, STDERR_FILENO)
            posix_spawn_file_actions_adddup2(&actions, source, Self.descriptor)
        }
        guard code == 0 else { throw Failure(code: code) }
        output.closeTheirs()
        errors.closeTheirs()
        (self.process, self.output, self.errors, self.patience) = (process, output, errors, patience)
    }

    deinit { stop() }

    /// Fills as much of the memory as the program still writes.
    package func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        var watch = Watch(processorSeconds)
        while filled < bytes.count, output.isOpen {
            var waits = [output.wait, errors.wait]
            guard poll(&waits, 2, 1_000) > 0 else {
                // A process that the program left behind may keep the output open.
                if hasEnded || watch.isOver(patience, at: processorSeconds) { stop() }
                continue
            }
            watch = Watch(processorSeconds)
            if waits[1].revents != 0 { listen() }
            guard waits[0].revents != 0 else { continue }
            filled += output.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
        }
        return filled
    }

    /// Waits for the end of the program.
    ///
    /// - Returns: The exit code, the negative number of the signal that ended the program, or `nil` if it is unknown;
    ///   and the lines of the error output.
    package func end() -> (status: Int32?, messages: [String]) {
        // A program that still writes would wait for a reader forever.
        output.close()
        var watch = Watch(processorSeconds)
        while status == nil, errors.isOpen {
            var waits = [errors.wait]
            if poll(&waits, 1, 1_000) > 0 {
                listen()
            } else if hasEnded || watch.isOver(patience, at: processorSeconds) {
                stop()
            }
        }
        let ended = status ?? endOfProcess(process)
        status = .some(ended)
        return (ended, String(decoding: said, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init))
    }

    private func stop() {
        guard status == nil else { return }
        // Before the process is reaped, its number can't belong to another process.
        kill(-process, SIGKILL)
        status = .some(endOfProcess(process))
    }

    private func listen() {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { block in
            let count = errors.read(into: block)
            said += block[..<min(count, max(0, Self.messageLimit - said.count))]
        }
    }

    /// Whether the program has ended, and was not waited for yet.
    private var hasEnded: Bool {
        var information = siginfo_t()
        return waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0
            && information.si_signo == SIGCHLD
    }

    /// The processor time that the program has used, in whole seconds.
    private var processorSeconds: Int {
        var clock = clockid_t()
        var time = timespec()
        guard status == nil, clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            return 0
        }
        return time.tv_sec
    }
}

/// Tells when to give up on a program without output. It is asked once a second.
///
/// A busy machine or a slow disk is no reason to give up, so processor time counts. But a program may also wait for
/// something that never comes.
private struct Watch {
    private let began: Int
    private var last: Int
    private var rest = 0

    init(_ processorSeconds: Int) { (began, last) = (processorSeconds, processorSeconds) }

    mutating func isOver(_ patience: (work: Int, rest: Int), at processorSeconds: Int) -> Bool {
        rest = processorSeconds == last ? rest + 1 : 0
        last = processorSeconds
        return processorSeconds - began > patience.work || rest > patience.rest
    }
}

/// Two connected sockets. A program writes to one, and this process reads from the other.
private final class Connection {
    private var ours: Int32
    private(set) var theirs: Int32

    init() throws(ReadingProgram.Failure) {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { throw .init(code: errno) }
        ours = pair[0]
        // A number above the descriptors that the program uses, so that `dup2` does not overwrite it.
        theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, ReadingProgram.descriptor + 1)
        let code = errno
        Glibc.close(pair[1])
        // After a throw, `deinit` closes the open socket.
        guard theirs >= 0 else { throw .init(code: code) }
    }

    deinit {
        closeTheirs()
        close()
    }

    /// Whether the program may still write.
    var isOpen: Bool { ours >= 0 }
    /// `poll` ignores a closed connection.
    var wait: pollfd { pollfd(fd: ours, events: Int16(POLLIN), revents: 0) }

    func closeTheirs() {
        if theirs >= 0 { Glibc.close(theirs) }
        theirs = -1
    }

    /// Reads once, and returns the number of bytes. Closes the connection at its end.
    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        let count = Glibc.read(ours, bytes.baseAddress, bytes.count)
        if count < 0, errno == EINTR { return 0 }
        if count <= 0 { close() }
        return max(0, count)
    }

    func close() {
        if isOpen { Glibc.close(ours) }
        ours = -1
    }
}
