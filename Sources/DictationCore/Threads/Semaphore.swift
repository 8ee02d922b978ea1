import Glibc

/// A counting semaphore, whose signals neither allocate nor wait.
package final class Semaphore: @unchecked Sendable {  // The semaphore is made for use from several threads.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    package init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Adds a signal.
    package func signal() { sem_post(semaphore) }

    /// Waits for a signal, then takes all signals that have come until now.
    package func waitForSignals() {
        while sem_wait(semaphore) != 0, errno == EINTR {}
        while sem_trywait(semaphore) == 0 {}
    }
}
