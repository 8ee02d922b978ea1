package import DictationCore
import DictationPlatform

/// A program that reads its standard input and writes its standard output, in a process group of its own.
package struct FilterProgram: Sendable {
    /// The program, which is looked up in `PATH`, and its arguments.
    var arguments: [String]
    var timeout: Duration
    /// The greatest number of bytes of output.
    var outputLimit: Int
    /// Environment variables that the program has besides those of this process.
    var variables: [String: String]
    /// Whether a program that ends by itself may leave processes behind.
    var leavesProcesses: Bool

    /// The greatest number of bytes that are kept of the error output.
    private static let errorLimit = 1 << 10
    /// The time between two questions whether to stop.
    private static let turn = Duration.milliseconds(50)

    package init(
        arguments: [String], timeout: Duration, outputLimit: Int, variables: [String: String] = [:],
        leavesProcesses: Bool = false
    ) {
        (self.arguments, self.timeout, self.outputLimit) = (arguments, timeout, outputLimit)
        (self.variables, self.leavesProcesses) = (variables, leavesProcesses)
    }

    /// Runs the program. No process of its group survives the call, unless it may leave processes behind.
    ///
    /// - Returns: The program's output.
    /// - Throws: An error if the program can't start, fails, needs too long, or writes too much or no text.
    package func run(_ input: String) async throws(DictationError) -> String {
        guard let text = String(validating: try await run(bytes: Array(input.utf8)), as: UTF8.self) else {
            throw DictationError(
                .invalidInput, "The output of “\(name)” is not text in UTF-8.", recovery: "Use another program.")
        }
        return text
    }

    /// Runs the program as ``run(_:)`` does, with any bytes.
    package func run(bytes: [UInt8]) async throws(DictationError) -> [UInt8] {
        let work = BlockingWork("filter")
        return try await work.run { () throws(DictationError) in try runBlocking(bytes) }
    }

    private var name: String { arguments.first ?? "" }

    /// Runs the program on the calling thread.
    package func runBlocking(_ input: [UInt8]) throws(DictationError) -> [UInt8] {
        let streams = try streams()
        let process = try start(streams)
        var run = Run(streams: streams, input: input, limit: outputLimit)
        let end = ContinuousClock.now + min(timeout, .seconds(86_400))
        var stop: DictationError?
        while stop == nil, !hasEnded(process) {
            let left = ContinuousClock.now.duration(to: end)
            if Task.isCancelled {
                stop = DictationError(.cancelled, "“\(name)” was stopped.")
            } else if left <= .zero {
                stop = DictationError(
                    .timedOut, "“\(name)” did not finish in \(timeout).",
                    recovery: "Use a faster program, or less text.")
            } else {
                run.move(for: min(left, Self.turn))
                if run.isTooLong { stop = tooLong }
            }
        }
        // Before the process is reaped, its number can't belong to another process.
        if stop != nil || !leavesProcesses { kill(-process, SIGKILL) }
        let status = reap(process)
        run.readRest()
        if let stop { throw stop }
        if run.isTooLong { throw tooLong }
        guard status == 0 else { throw failure(status, run.said) }
        return run.output
    }

    private var tooLong: DictationError {
        DictationError(
            .invalidInput, "“\(name)” wrote more than \(outputLimit) bytes.",
            recovery: "Use a program that writes less.")
    }

    private func failure(_ status: Int32, _ said: [UInt8]) -> DictationError {
        let said = String(decoding: said, as: UTF8.self).onOneLine.trimmed
        return DictationError(
            .engineFailed, "“\(name)” failed with the status \(status)\(said.isEmpty ? "" : ": " + said).",
            recovery: "Run the program by hand to find the reason.")
    }

    private func start(_ streams: borrowing Streams) throws(DictationError) -> pid_t {
        let theirs = streams.theirs
        let (process, code) = startProcess(
            name, arguments, environment: environment(adding: variables), resetting: [SIGINT, SIGPIPE, SIGTERM, SIGHUP]
        ) { actions in
            for (number, file) in theirs.enumerated() {
                posix_spawn_file_actions_adddup2(&actions, file.number, Int32(number))
            }
        }
        for file in theirs { file.close() }
        guard code == 0 else {
            throw DictationError(
                .fileUnreadable, "“\(name)” can't be started: \(String(cString: strerror(code))).",
                recovery: "Install the program, or correct its name.")
        }
        return process
    }

    private func streams() throws(DictationError) -> Streams {
        var input: [Int32] = [-1, -1]
        var output: [Int32] = [-1, -1]
        var errors: [Int32] = [-1, -1]
        // A socket, because writing to a pipe that nobody reads would end this process.
        let isOpen =
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &input) == 0
            && pipe(&output) == 0 && pipe(&errors) == 0
        let code = errno
        let streams = Streams(
            ours: [input[0], output[0], errors[0]].map { OpenStream($0) },
            theirs: [input[1], output[1], errors[1]].map { OpenStream(aboveStandard: $0) })
        guard isOpen, streams.theirs.allSatisfy({ $0.number >= 0 }) else {
            throw DictationError(
                .fileUnreadable, "No more files can be opened: \(String(cString: strerror(code))).",
                recovery: "Close some files, or raise the limit of open files.")
        }
        for file in streams.ours {
            _ = fcntl(file.number, F_SETFL, fcntl(file.number, F_GETFL) | O_NONBLOCK)
            _ = fcntl(file.number, F_SETFD, FD_CLOEXEC)
        }
        return streams
    }

    /// Returns whether the process has ended, and leaves it to be reaped.
    private func hasEnded(_ process: pid_t) -> Bool {
        var info = siginfo_t()
        let code = waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT)
        return code == 0 ? info.si_signo != 0 : errno != EINTR
    }

    /// Returns the exit code, the negative number of the signal that ended the process, or -1 if it is unknown.
    private func reap(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) != process {
            guard errno == EINTR else { return -1 }
        }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : -signal
    }

    private struct Streams {
        let ours: [OpenStream]
        let theirs: [OpenStream]
    }

    /// Moves the input and the output.
    private struct Run {
        let streams: Streams
        let input: [UInt8]
        let limit: Int
        var sent = 0
        var output: [UInt8] = []
        /// The end of the error output.
        var said: [UInt8] = []

        init(streams: Streams, input: [UInt8], limit: Int) {
            (self.streams, self.input, self.limit) = (streams, input, limit)
        }

        var isTooLong: Bool { output.count > limit }

        mutating func move(for time: Duration) {
            if sent == input.count { streams.ours[0].close() }
            var waits = streams.ours.map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
            waits[0].events = Int16(POLLOUT)
            guard poll(&waits, 3, Int32(max(1, time / .milliseconds(1)))) > 0 else { return }
            if waits[0].revents != 0 { send() }
            if waits[1].revents != 0 { output += streams.ours[1].read() }
            if waits[2].revents != 0 { said = (said + streams.ours[2].read()).suffix(FilterProgram.errorLimit) }
        }

        /// Reads what the pipes still hold after the program ended.
        mutating func readRest() {
            while !isTooLong {
                let bytes = streams.ours[1].read()
                guard !bytes.isEmpty else { break }
                output += bytes
            }
            said = (said + streams.ours[2].read()).suffix(FilterProgram.errorLimit)
        }

        private mutating func send() {
            let count = input[sent...].withUnsafeBytes {
                DictationPlatform.send(streams.ours[0].number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno != EAGAIN, errno != EINTR {
                // The program does not want more input.
                sent = input.count
            }
        }
    }
}

/// An open file of this process. It is closed with its last reference; only one thread uses it.
private final class OpenStream {
    private(set) var number: Int32

    init(_ number: Int32) { self.number = number }

    /// Takes a file, and gives it a number above the standard streams, so that `dup2` in a child does not overwrite it.
    init(aboveStandard number: Int32) {
        self.number = number < 0 ? -1 : fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        if number >= 0 { DictationPlatform.close(number) }
    }

    deinit { close() }

    func close() {
        if number >= 0 { DictationPlatform.close(number) }
        number = -1
    }

    /// Returns the bytes that are there. Closes the file at its end.
    func read() -> [UInt8] {
        guard number >= 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        let count = DictationPlatform.read(number, &bytes, bytes.count)
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { close() }
        return Array(bytes.prefix(max(0, count)))
    }
}
