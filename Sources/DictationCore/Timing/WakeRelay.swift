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

/// A semaphore that can be ended. Waiting then returns `false`.
private final class Signals: @unchecked Sendable {  // The semaphore is made for use from several threads.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    private let hasEnded = Atomic(false)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func post() { sem_post(semaphore) }

    func end() {
        hasEnded.store(true, ordering: .releasing)
        sem_post(semaphore)
    }

    /// Waits for a signal; `false` once the semaphore has ended.
    func wait() -> Bool {
        while sem_wait(semaphore) != 0, errno == EINTR {}
        // One run of the closure answers all signals so far.
        while sem_trywait(semaphore) == 0 {}
        return !hasEnded.load(ordering: .acquiring)
    }
}
