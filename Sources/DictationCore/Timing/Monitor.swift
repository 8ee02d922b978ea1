import Glibc
import SwiftOverlayShims  // `timespec` is counted as its own in an optimised build.

/// A value behind a lock whose changes threads can wait for. Tasks use ``Watched`` instead.
package final class Monitor<State>: @unchecked Sendable {  // `state` is touched only while `mutex` is held.
    private var state: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init(_ state: sending State) {
        self.state = state
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

    /// Reads or changes the value and wakes the waiting threads.
    package func change<Answer>(_ body: (inout State) -> Answer) -> Answer {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Blocks until the closure returns a value, and returns that value; `nil` when the time runs out first.
    ///
    /// - Parameters:
    ///   - limit: How long to wait; `nil` is forever.
    ///   - find: Looks at the state at once and after each change. It may change the state.
    package func first<Found>(within limit: Duration? = nil, _ find: (inout State) -> Found?) -> Found? {
        var end = timespec()
        if let limit {
            clock_gettime(CLOCK_MONOTONIC, &end)
            let (seconds, attoseconds) = min(.longestWait, max(.zero, limit)).components
            let nanoseconds = Int64(end.tv_nsec) + attoseconds / 1_000_000_000
            end.tv_sec += Int(seconds) + Int(nanoseconds / 1_000_000_000)
            end.tv_nsec = Int(nanoseconds % 1_000_000_000)
        }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let found = find(&state) { return found }
            if limit == nil {
                pthread_cond_wait(condition, mutex)
            } else if pthread_cond_timedwait(condition, mutex, &end) == ETIMEDOUT {
                return find(&state)
            }
        }
    }
}
