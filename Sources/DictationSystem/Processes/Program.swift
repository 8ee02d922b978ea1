import CSystem

/// A program to start, in a process group of its own: Ctrl-C in the terminal does not reach it, and killing the group ends
/// what it started. It blocks and ignores no signal, whatever this process does.
package struct Program: Sendable {
    /// An open file of the program.
    package enum File: Sendable, Hashable {
        /// A file of this process, by its descriptor.
        case descriptor(Int32)
        /// Nothing to read, and whatever is written is forgotten.
        case nothing
        /// The file of this process with the same number.
        case inherited
    }

    /// The program's path, or a name to look up in `PATH`.
    package var path: String
    /// The arguments; the first is the program's name.
    package var arguments: [String]
    /// The environment variables, each as `NAME=value`.
    package var environment: [String]
    /// The program's open files, from number 0 on. It has no others.
    package var files: [File]
    /// The descriptor of its working folder; `nil` for that of this process.
    package var folder: Int32?

    /// Describes a program.
    ///
    /// - Parameters:
    ///   - arguments: The arguments. The first is the program's name, which is looked up in `PATH`.
    ///   - path: The program's file, if it is not to be looked up.
    ///   - environment: The environment variables, each as `NAME=value`; `nil` for those of this process.
    ///   - files: The program's open files, from number 0 on.
    package init(_ arguments: [String], path: String? = nil, environment: [String]? = nil, files: [File]) {
        self.arguments = arguments
        self.path = path ?? arguments.first ?? ""
        self.environment = environment ?? DictationSystem.environment(adding: [:])
        self.files = files
    }

    /// Starts the program. Waits up to a second while its file is busy, because another process still writes it.
    package func start() throws(SystemError) -> RunningProgram {
        let copies = try DescriptorCopies(
            of: files.map { if case .descriptor(let number) = $0 { number } else { nil } }, from: files.count)
        for _ in 0..<100 {
            let (process, code) = spawn(copies.numbers)
            if code == 0 { return RunningProgram(process) }
            guard code == ETXTBSY, poll(nil, 0, 10) == 0 else { throw SystemError("posix_spawn", code: code) }
        }
        throw SystemError("posix_spawn", code: ETXTBSY)
    }

    private func spawn(_ copies: [Int32]) -> (pid_t, Int32) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let folder { dictation_spawn_in(&actions, folder) }
        for (number, (file, copy)) in zip(files, copies).enumerated() {
            switch file {
            case .inherited: break
            case .nothing: posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
            case .descriptor: posix_spawn_file_actions_adddup2(&actions, copy, Int32(number))
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGABRT, SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        let words = arguments.map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, path, &actions, &attributes, words, variables)
        return (process, code)
    }
}
