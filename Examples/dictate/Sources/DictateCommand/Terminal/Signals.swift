import Glibc
import Synchronization

/// The signals that a command reacts to, taken one by one on a thread of their own.
///
/// They are blocked everywhere else, so nothing ever runs inside a handler.
final class Signals: Sendable {
    private let receiver = Mutex<(@Sendable () -> Void)?>(nil)
    private let panel = Mutex<LivePanel?>(nil)
    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]

    /// Takes over the signals. Call it before there is a second thread, so that every thread blocks them.
    init() {
        // What can't be written is an error like any other.
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
        var set = Self.set
        // A signal that the parent had ignored stays so, as with nohup.
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

    /// Sets who is told of Ctrl-C, or of the end of the terminal or the machine; without anyone it ends the program.
    func receive(_ body: (@Sendable () -> Void)?) { receiver.withLock { $0 = body } }

    /// Sets what goes from the screen before the program ends or stops, and is drawn again when it goes on or the window
    /// has another size.
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
                let receiver = receiver.withLock { $0 }
                // The third time nothing is waited for, and never after Ctrl-\.
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
