import Synchronization

/// A signal that state has changed. Tasks wait for it and then look at the state again.
package final class Signal: Sendable {
    private let waiters = Mutex(Waiters())

    package init() {}

    /// Wakes all waiting tasks.
    package func wake() { waiters.withLock { $0.takeAll() }.resume() }

    /// Waits for the next call of ``wake()``. Returns at once when the task is cancelled.
    ///
    /// - Parameter isReady: Returns `true` to return at once. It is called when no wake can be missed any more. It may
    ///   take a lock, so ``wake()`` must not be called while that lock is held.
    package func wait(unless isReady: () -> Bool) async {
        let id = Waiters.ID()
        await withTaskCancellationHandler {
            await SignalContinuation.suspend { continuation in
                waiters.withLock { $0.add(id, continuation) }
                if isReady() || Task.isCancelled { waiters.withLock { $0.take(id) }?.resume() }
            }
        } onCancel: {
            waiters.withLock { $0.take(id) }?.resume()
        }
    }
}
