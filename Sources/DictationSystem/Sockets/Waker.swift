import CSystem
import DictationCore
import Synchronization

/// Wakes a thread that waits with `poll`.
package final class Waker: Sendable {
    /// Negative if the system has no descriptors left. Then a thread sees that it was woken after its next time limit.
    private let descriptor = dictation_make_waker()
    private let raised = Atomic(false)

    package init() {}

    /// Why nobody can be woken, for those who wait without a limit.
    package var problem: SystemError? { descriptor < 0 ? SystemError("eventfd", code: -descriptor) : nil }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Wakes the thread that waits, or that waits next.
    package func wake() {
        raised.store(true, ordering: .releasing)
        var one: UInt64 = 1
        while write(descriptor, &one, 8) < 0, errno == EINTR {}
    }

    /// Whether the thread was woken since the last ``clear()``.
    package var isRaised: Bool { raised.load(ordering: .acquiring) }

    /// Forgets that the thread was woken.
    package func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
        raised.store(false, ordering: .releasing)
    }

    /// An entry for `poll`.
    package var wait: pollfd { pollfd(fd: max(-1, descriptor), events: Int16(POLLIN), revents: 0) }

    /// Waits until the thread is woken, or a socket is ready, or the time is over.
    ///
    /// - Parameters:
    ///   - socket: The socket, or -1 for none.
    ///   - isWriting: Whether to wait also until the socket can be written.
    package func rest(_ time: Duration, socket: Int32 = -1, isWriting: Bool = false) {
        var waits = [wait, pollfd(fd: socket, events: Int16(isWriting ? POLLIN | POLLOUT : POLLIN), revents: 0)]
        // Nothing can wake the thread without a descriptor.
        let longest = descriptor < 0 ? Duration.milliseconds(500) : .seconds(86_400)
        let milliseconds = max(.zero, min(longest, time)) / .milliseconds(1)
        _ = poll(&waits, 2, Int32(milliseconds.rounded(.up)))
    }
}
