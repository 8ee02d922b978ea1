#if SherpaOnnx
    import CSherpaOnnxTrial
    import DictationCore
    import Glibc

    /// This program, started once more to try a model before it reaches `main`.
    struct HelperProcess {
        /// What came of it.
        enum End: Equatable {
            /// It ended by itself, or by a signal; what it printed last.
            case ended(signal: Int32?, output: String)
            /// It did not end in time and was stopped.
            case late
        }

        /// The most that is kept of what it prints.
        private static let outputLimit = 1 << 16

        /// Runs the program with more in its environment; blocks until it has ended or the time is over.
        static func run(_ environment: [String: String], within limit: Duration) throws(DictationError) -> End {
            var environment = environment
            // That it ends is a verdict, and no crash that Swift's runtime should look into: that takes long, or hangs.
            environment["SWIFT_BACKTRACE"] = "enable=no"
            guard let object = sherpaOnnxTrialObject().map({ String(cString: $0) }) else { throw failed(ENOEXEC) }
            // Code in a shared object is not in the program that is started: the loader has to bring it along.
            if !object.isEmpty { environment["LD_PRELOAD"] = object }

            // A pair of sockets, since a pipe can't be kept from other processes in the same step.
            var pipe: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &pipe) == 0 else { throw failed(errno) }
            defer { close(pipe[0]) }
            let (process, code) = start(environment, output: pipe[1])
            close(pipe[1])
            guard code == 0 else { throw failed(code) }
            guard let output = read(pipe[0], until: .now + limit) else {
                kill(process, SIGKILL)
                _ = wait(for: process)
                return .late
            }
            return .ended(signal: wait(for: process), output: output)
        }

        private static func start(_ environment: [String: String], output: Int32) -> (pid_t, Int32) {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)

            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            var signals = sigset_t()
            sigemptyset(&signals)
            posix_spawnattr_setsigmask(&attributes, &signals)
            for signal in [SIGABRT, SIGPIPE, SIGTERM] { sigaddset(&signals, signal) }
            posix_spawnattr_setsigdefault(&attributes, &signals)
            // A group of its own: a key that interrupts the program is not for its helper.
            posix_spawnattr_setpgroup(&attributes, 0)
            posix_spawnattr_setflags(
                &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

            var process: pid_t = 0
            let inherited = inheritedEnvironment().filter { !environment.keys.contains($0.key) }
            let variables = inherited.map { $0.entry } + environment.map { "\($0.key)=\($0.value)" }
            let code = withCStrings(variables) { variables in
                var arguments = [strdup("sherpa-onnx-trial"), nil]
                defer { free(arguments[0]) }
                var pointers = variables.map { UnsafeMutablePointer(mutating: $0) } + [nil]
                return posix_spawn(&process, "/proc/self/exe", &actions, &attributes, &arguments, &pointers)
            }
            return (process, code)
        }

        private static func inheritedEnvironment() -> [(key: String, entry: String)] {
            var entries: [(key: String, entry: String)] = []
            var next = environ
            while let entry = next.pointee {
                let text = String(cString: entry)
                entries.append((String(text.prefix { $0 != "=" }), text))
                next += 1
            }
            return entries
        }

        /// What comes through the pipe until its other end closes; `nil` when the time is over first.
        private static func read(_ pipe: Int32, until end: ContinuousClock.Instant) -> String? {
            var output: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 4_096)
            while true {
                let left = (ContinuousClock.now.duration(to: end) / .milliseconds(1)).rounded(.up)
                guard left > 0 else { return nil }
                var waiting = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
                guard poll(&waiting, 1, Int32(min(left, 1_000_000))) > 0 else { continue }
                let count = Glibc.read(pipe, &part, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return String(decoding: output, as: UTF8.self) }
                output += part[..<count]
                if output.count > outputLimit { output.removeFirst(output.count - outputLimit) }
            }
        }

        /// The signal that ended a process. A program that ignores its children's ends has none to tell of.
        private static func wait(for process: pid_t) -> Int32? {
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0 {
                guard errno == EINTR else { return nil }
            }
            let signal = status & 0x7F
            return signal == 0 ? nil : signal
        }

        private static func failed(_ code: Int32) -> DictationError {
            DictationError(
                .engineFailed, "No helper process could be started to try the model in.",
                recovery: "Let the program read /proc/self/exe and start it, or set modelTrial to .never for a model "
                    + "that is known to work.",
                underlying: .init(domain: "posix_spawn", code: Int(code), message: String(cString: strerror(code))))
        }
    }
#endif
