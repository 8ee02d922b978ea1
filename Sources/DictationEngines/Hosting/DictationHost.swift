import CDictationHost
import DictationCore
import Glibc
import Synchronization

/// A helper process for work that may crash, such as loading a new model.
///
/// Make your program its own helper with the first line of `main`:
///
///     DictationHost.runIfAsked()
///
/// A program without its own `main`, such as a plug-in or a test runner, uses the executable `dictation-helper`. The
/// library looks for it at the path in the environment variable `DICTATION_HELPER`, beside the running program, and on
/// the `PATH`.
public enum DictationHost: Sendable {
    /// The only argument of a helper.
    static let argument = "--dictation-host"
    /// The descriptor of a helper's socket to the process that started it.
    static let connection: Int32 = 3
    /// The exit code of a helper that gets no valid request.
    static let misuse: Int32 = 64

    /// Whether this program has called ``runIfAsked()``.
    private static let isOffered = Mutex(false)
    static var canRunItself: Bool { isOffered.withLock { $0 } }

    /// Whether this process was started as a helper. A helper starts no other helper.
    static var isAsked: Bool { Array(CommandLine.arguments.dropFirst()) == [argument] }

    /// Does a helper's work and ends the process, if the library started this process as a helper. Otherwise returns at
    /// once.
    ///
    /// Call it before anything else, because every helper also runs the code before this call.
    public static func runIfAsked() {
        isOffered.withLock { $0 = true }
        if isAsked { run() }
    }

    /// Does a helper's work and ends the process.
    package static func run() -> Never {
        // The helper keeps none of the program's descriptors open, and ends when the program ends.
        dictation_host_confine(connection + 1)
        do throws(HelperMessageError) {
            let request = try HelperRequest(from: connection)
            let answer = HelperAnswer(nonce: request.nonce, outcome: request.perform())
            try answer.send(to: connection)
            _exit(0)
        } catch {
            let advice = "\(argument) is only for programs with swift-dictation, which start their helper with it.\n"
            _ = advice.utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
            _exit(misuse)
        }
    }
}

extension HelperRequest {
    fileprivate func perform() -> HelperAnswer.Outcome {
        #if SherpaOnnx
        TestDecoding(kind: kind, files: files).outcome(library: library)
        #else
        .unable("it was built without the trait SherpaOnnx")
        #endif
    }
}
