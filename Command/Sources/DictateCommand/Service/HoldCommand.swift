import DictationCore
import DictationService
import Glibc

extension Command {
    static let hold: Command = Command(
        name: "hold", abstract: "Dictate until Ctrl-C, SIGTERM or the end of the input, and print the text.",
        discussion: """
            In a terminal, Return ends it as well.
            If this command is killed, the microphone is closed, and “dictate last” prints the text.
            """,
        flags: [Options.json], options: [Options.profile.spec, Options.socket.spec]
    ) { invocation, console in
        let client = try ServiceClient(invocation, console)
        let (ends, end) = AsyncStream<Void>.makeStream()
        console.signals.receive { end.yield() }
        let profile = try invocation.value(Options.profile)
        let hold = try await client.startingService { client throws(DictationError) in
            try await client.hold(profile: profile)
        }
        InputEnd.notice { end.yield() }
        // A take also ends by itself, or by another program. Nobody should speak on.
        let watch = Task {
            guard var statuses = try? await client.client.statusUpdates().makeAsyncIterator() else { return }
            while let status = try? await statuses.next(), status.take == hold.take, status.isActive {}
            end.yield()
        }
        for await _ in ends { break }
        watch.cancel()
        return try report(try await hold.release(), to: .stop, asJSON: invocation.has(Options.json), console)
    }
}

/// The end of standard input, or a line from a terminal.
private enum InputEnd {
    /// Calls a closure once, on a thread of its own. A program that a key starts has no input, so nothing is waited for.
    static func notice(_ body: @escaping @Sendable () -> Void) {
        var status = stat()
        let isTerminal = isatty(STDIN_FILENO) == 1
        guard fstat(STDIN_FILENO, &status) == 0,
            isTerminal || status.st_mode & S_IFMT == S_IFIFO || status.st_mode & S_IFMT == S_IFSOCK
        else { return }
        let runtime = DictationRuntime.current
        Task(executorPreference: runtime.blockingExecutor("input")) {
            var block = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(STDIN_FILENO, &block, block.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 || isTerminal && block[..<count].contains(UInt8(ascii: "\n")) { break }
            }
            body()
        }
    }
}
