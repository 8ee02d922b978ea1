import Glibc

/// A thread of the system.
package enum SystemThread {
    /// Starts a thread that runs a closure. The name shows in `top -H` and debuggers.
    ///
    /// A write to a pipe or socket that nobody reads is an error there, and does not end the program: libraries for sound
    /// and downloads write to servers that can go away at any moment.
    ///
    /// - Returns: Whether the system could start the thread.
    package static func start(named name: String, _ body: sending @escaping () -> Void) -> Bool {
        let body = Unmanaged.passRetained(
            ThreadBody {
                nameCallingThread(name)
                blockBrokenPipes()
                body()
            })
        var thread = pthread_t()
        guard pthread_create(&thread, nil, { ThreadBody.run($0) }, body.toOpaque()) == 0 else {
            body.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// The signal of a broken pipe goes to the thread that wrote, and is dropped when that thread ends.
    private static func blockBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Names the calling thread. The system keeps the first 15 bytes.
    private static func nameCallingThread(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = name.withCString { write(file, $0, strlen($0)) }
        close(file)
    }
}

private final class ThreadBody {
    private let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }

    static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().body()
        return nil
    }
}
