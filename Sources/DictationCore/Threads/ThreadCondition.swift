import Glibc
import SwiftOverlayShims  // `timespec` is counted as its own in an optimised build.

/// A lock, and a condition that threads can wait for while they hold it.
package final class ThreadCondition: @unchecked Sendable {  // Mutexes and conditions are made for several threads.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    package func lock() { pthread_mutex_lock(mutex) }
    package func unlock() { pthread_mutex_unlock(mutex) }

    /// Wakes all threads that wait.
    package func broadcast() { pthread_cond_broadcast(condition) }

    /// Waits for a broadcast. The calling thread must hold the lock.
    package func wait() { pthread_cond_wait(condition, mutex) }

    /// Waits for a broadcast until a time. The calling thread must hold the lock.
    ///
    /// - Returns: `false` if the time came first.
    package func wait(until end: MonotonicTime) -> Bool {
        var time = end.value
        return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }
}

/// A time of the system's monotonic clock.
package struct MonotonicTime: Sendable {
    fileprivate var value = timespec()

    /// Creates the time that comes after a duration, which must be less than a few hundred years.
    package init(after duration: Duration) {
        clock_gettime(CLOCK_MONOTONIC, &value)
        let (seconds, attoseconds) = duration.components
        let nanoseconds = Int64(value.tv_nsec) + attoseconds / 1_000_000_000
        value.tv_sec += Int(seconds) + Int(nanoseconds / 1_000_000_000)
        value.tv_nsec = Int(nanoseconds % 1_000_000_000)
    }
}
