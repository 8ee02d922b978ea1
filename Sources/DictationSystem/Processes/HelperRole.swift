import Synchronization

/// Whether this process is a helper, or can start itself as one.
package enum HelperRole: String, Sendable {
    /// It has an engine, or tries a library or a model.
    case engine = "--dictation-engine"
    /// It decodes recordings, each in a process of its own.
    case decoder = "--dictation-decoder"

    /// What this process was started for; `nil` if it is no helper. A helper starts no other helper.
    package static var own: HelperRole? {
        let arguments = CommandLine.arguments.dropFirst()
        return arguments.count == 1 ? arguments.first.flatMap(HelperRole.init) : nil
    }

    /// The descriptor of a helper's socket to the process that started it.
    package static let connection: Int32 = 3

    /// Ends this process with advice unless another one started it as a helper.
    package func checkConnection() {
        var kind: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let found = getsockopt(Self.connection, SOL_SOCKET, SO_TYPE, &kind, &size)
        guard found != 0 || kind != Int32(SOCK_SEQPACKET.rawValue) else { return }
        let advice = "\(rawValue) is only for programs with swift-dictation, which start their helper with it.\n"
        _ = advice.utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
        _exit(Self.misuse)
    }

    /// The exit code of a helper that gets no valid request.
    package static let misuse: Int32 = 64
    /// The variables that a helper gets from the program's environment. All others may hold secrets: tokens, passwords,
    /// addresses with them.
    package static let keptVariables = [
        // What the loader and the allocator of the C library were told for the program holds for its helper.
        "LD_LIBRARY_PATH", "LD_PRELOAD", "GLIBC_TUNABLES", "MALLOC_ARENA_MAX",
        // The places of sherpa-onnx, unless the program names one.
        "DICTATION_SHERPA_ONNX", "HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS",
        // Only sanitizers and the measuring of coverage read these.
        "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE",
    ]
    /// The variables that a helper gets besides.
    package static let addedVariables = [
        // A crash of a helper is an expected outcome. Swift's backtracer would slow it down, or hang.
        "SWIFT_BACKTRACE": "enable=no",
        // OpenBLAS starts threads before `main`, which the restrictions on files would not cover.
        "OPENBLAS_NUM_THREADS": "1",
    ]

    private static let isOffered = Mutex(false)

    /// Whether this program can start itself as a helper, because its `main` does a helper's work when asked.
    static var canRunItself: Bool { isOffered.withLock { $0 } }

    /// Notes that this program does a helper's work when asked.
    package static func offer() { isOffered.withLock { $0 = true } }

    /// Describes a helper with this role.
    ///
    /// - Parameters:
    ///   - path: The helper's program.
    ///   - files: The program's open files, from number 0 on. Number 3 is its socket.
    package func program(at path: String, files: [Program.File]) -> Program {
        Program(
            [HelperProgram.name, rawValue], path: path,
            environment: environment(keeping: Self.keptVariables, adding: Self.addedVariables), files: files)
    }
}
