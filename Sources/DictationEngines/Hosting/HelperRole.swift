import Synchronization

/// Whether this process is a helper, or can start itself as one.
enum HelperRole {
    /// The only argument of a helper.
    static let argument = "--dictation-host"
    /// The descriptor of a helper's socket to the process that started it.
    static let connection: Int32 = 3
    /// The descriptor of the memory that a helper with an engine shares with the process that started it.
    static let memory: Int32 = 4
    /// The exit code of a helper that gets no valid request.
    static let misuse: Int32 = 64
    /// The variables of a helper's environment.
    static let environment = [
        // A crash of a helper is an expected outcome. Swift's backtracer would slow it down, or hang.
        "SWIFT_BACKTRACE": "enable=no",
        // OpenBLAS starts threads before `main`, which the restrictions on files would not cover.
        "OPENBLAS_NUM_THREADS": "1",
    ]

    private static let isOffered = Mutex(false)

    /// Whether this program can start itself as a helper, because its `main` does a helper's work when asked.
    static var canRunItself: Bool { isOffered.withLock { $0 } }

    /// Notes that this program does a helper's work when asked.
    static func offer() { isOffered.withLock { $0 = true } }

    /// Whether this process was started as a helper. A helper starts no other helper.
    static var isHelper: Bool { Array(CommandLine.arguments.dropFirst()) == [argument] }
}
