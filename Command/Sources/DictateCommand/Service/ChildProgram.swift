import DictationCore
import Glibc

/// Starts other programs.
enum ChildProgram {
    /// The value of `POSIX_SPAWN_SETSID`, which glibc only declares for GNU sources.
    private static let newSession: Int32 = 0x80

    /// Starts a program, found in `PATH` unless the name has a slash.
    ///
    /// - Parameters:
    ///   - words: Its arguments; the first is its name.
    ///   - inNewSession: Whether the end of the terminal does not end it.
    ///   - files: Adds the actions that open its files.
    /// - Returns: Its number, or the code of the error.
    static func start(
        _ program: String, _ words: [String], inNewSession: Bool = false,
        files: (inout posix_spawn_file_actions_t) -> Void = { _ in }
    ) -> (process: pid_t, code: Int32) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        files(&actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This command blocks signals and ignores some; the program begins with neither.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGXFSZ, SIGHUP, SIGINT] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = Int32(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | (inNewSession ? newSession : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let words = words.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, program, &actions, &attributes, words, environ)
        return (process, code)
    }

    /// Runs a program with this command's files, and waits for its end.
    ///
    /// - Parameter isQuiet: Whether nothing that it writes is shown.
    /// - Returns: Its exit code; `nil` if it could not be started or was ended by a signal.
    static func run(_ words: [String], isQuiet: Bool = false) async -> Int32? {
        let (process, code) = start(words[0], words) { actions in
            guard isQuiet else { return }
            for stream in [STDOUT_FILENO, STDERR_FILENO] {
                posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
            }
        }
        guard code == 0 else { return nil }
        return await Task(executorPreference: DictationRuntime.current.blockingExecutor(words[0])) {
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return nil } }
            return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
        }.value
    }
}
