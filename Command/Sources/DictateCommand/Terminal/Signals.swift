import Glibc
import Synchronization

/// Receives the signals that the command handles, one by one on a thread of its own.
///
/// All other threads block them, so no code runs inside a signal handler.
final class Signals: Sendable {
    private let receiver = Mutex<(@Sendable () -> Void)?>(nil)
    private let panel = Mutex<LivePanel?>(nil)
    private let newest = Mutex<Int32?>(nil)
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]

    /// Takes over the signals. Call it before a second thread starts, so that all threads block them.
    init() {
        // A failed write is an error like any other.
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
        var set = Self.set
        // A signal that the parent ignores stays ignored, as with nohup.
        for number in Self.numbers where Self.isIgnored(number) { sigdelset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let thread = Unmanaged.passRetained(self)
        var id = pthread_t()
        let result = pthread_create(
            &id, nil,
            { argument in
                if let argument { Unmanaged<Signals>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, thread.toOpaque())
        if result == 0 { pthread_detach(id) } else { thread.release() }
    }

    /// Sets what Ctrl-C, SIGTERM and SIGHUP do; `nil` ends the program.
    func receive(_ body: (@Sendable () -> Void)?) { receiver.withLock { $0 = body } }

    /// The newest signal that was to end the work; `nil` if none came.
    var last: Int32? { newest.withLock { $0 } }

    /// Sets the panel to hide before the program ends or stops, and to draw again when it continues or the window
    /// changes its size.
    func look(after panel: LivePanel?) { self.panel.withLock { $0 = panel } }

    private func run() {
        var set = Self.set
        var number: Int32 = 0
        var interrupts = 0
        while sigwait(&set, &number) == 0 {
            switch number {
            case SIGWINCH, SIGCONT: panel.withLock { $0 }?.redraw()
            case SIGTSTP:
                panel.withLock { $0 }?.suspend()
                kill(getpid(), SIGSTOP)
            default:
                interrupts += 1
                let signal = number
                newest.withLock { $0 = signal }
                let receiver = receiver.withLock { $0 }
                // The third signal ends the program at once, and so does Ctrl-\.
                guard let receiver, interrupts < 3, number != SIGQUIT else {
                    panel.withLock { $0 }?.end()
                    UnfinishedFiles.removeAll()
                    _exit(128 + number)
                }
                receiver()
            }
        }
    }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
