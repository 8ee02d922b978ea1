import Glibc
import Synchronization

/// A thread that runs a closure after each signal, for real-time threads that must not run the closure themselves.
///
/// A signal neither allocates nor waits. One run may answer several signals that come close together.
final class WakeRelay: Sendable {
    private let signals = Signals()

    init(name: String, _ body: @escaping @Sendable () -> Void) {
        Task(executorPreference: BlockingThread(name: name)) { [signals] in
            while signals.wait() { body() }
            body()
        }
    }

    func signal() { signals.post() }

    /// Ends the thread after one more run of the closure.
    func end() { signals.end() }
}

/// A semaphore that can be ended.
private final class Signals: Sendable {
    private let semaphore = Semaphore()
    private let hasEnded = Atomic(false)

    func post() { semaphore.signal() }

    func end() {
        hasEnded.store(true, ordering: .releasing)
        semaphore.signal()
    }

    /// Waits for a signal. Returns `false` after the end.
    func wait() -> Bool {
        // One run is enough for all the signals until now.
        semaphore.waitForSignals()
        return !hasEnded.load(ordering: .acquiring)
    }
}
