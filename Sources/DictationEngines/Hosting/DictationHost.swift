import CDictationHost
import DictationCore
import Glibc
import Synchronization

/// A second process for work that may end the process that does it, such as loading a new model.
///
/// Make your program its own helper with the first line of `main`:
///
///     DictationHost.runIfAsked()
///
/// A program that can't, such as a plug-in or a test runner, uses the executable `dictation-helper`. It is looked for
/// where the environment variable `DICTATION_HELPER` says, beside the running program, and on the `PATH`.
public enum DictationHost: Sendable {
    /// The one argument of a helper.
    static let argument = "--dictation-host"
    /// Where a helper finds the socket to whoever started it.
    static let connection: Int32 = 3
    /// The exit code of a helper that was not asked properly.
    static let misuse: Int32 = 64

    /// Whether this program has called `runIfAsked()`.
    private static let isOffered = Mutex(false)
    static var canRunItself: Bool { isOffered.withLock { $0 } }

    /// Whether this process was started as a helper. A helper starts no other.
    static var isAsked: Bool { Array(CommandLine.arguments.dropFirst()) == [argument] }

    /// Does a helper's work and ends the process if the library started it for that; otherwise returns at once.
    ///
    /// Call it before anything else: what comes before it happens in every helper too.
    public static func runIfAsked() {
        isOffered.withLock { $0 = true }
        if isAsked { run() }
    }

    /// Does a helper's work and ends the process.
    package static func run() -> Never {
        // Nothing of the program's is held open by its helper, and the helper does not outlive it.
        dictation_host_confine(connection + 1)
        do throws(HelperMessageError) {
            let request = try HelperRequest(from: connection)
            let answer = HelperAnswer(nonce: request.nonce, outcome: request.perform())
            try answer.send(to: connection)
            _exit(0)
        } catch {
            let advice = "\(argument) is how programs with swift-dictation start a helper, and for nothing else.\n"
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
