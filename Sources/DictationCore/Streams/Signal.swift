import Synchronization

/// Where tasks wait for something to change. Whoever changes it wakes them, and each looks again.
package final class Signal: Sendable {
    private let waiters = Mutex(Waiters())

    package init() {}

    /// Wakes everyone who waits.
    package func wake() { waiters.withLock { $0.takeAll() }.resume() }

    /// Waits for the next wake; not at all when there is no need to, or the task is cancelled.
    ///
    /// The closure is asked once a wake can no longer be missed. It may take a lock, so nobody may wake inside that lock.
    package func wait(unless isReady: () -> Bool) async {
        let id = Waiters.ID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiters.withLock { $0.add(id, continuation) }
                if isReady() || Task.isCancelled { waiters.withLock { $0.take(id) }?.resume() }
            }
        } onCancel: {
            waiters.withLock { $0.take(id) }?.resume()
        }
    }
}
