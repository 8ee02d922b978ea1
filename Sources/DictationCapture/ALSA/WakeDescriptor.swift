import DictationCore
import DictationPlatform
import Synchronization

#if ALSA
import CALSA
#endif

/// A descriptor that wakes `poll` once it is raised. It tells a capture thread to stop.
final class WakeDescriptor: Sendable {
    let descriptor: Int32
    private let writing: Int32
    private let raised = Atomic(false)

    init() {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        // If the system has no descriptors left, the thread sees the stop after its next time limit.
        _ = socketpair(AF_UNIX, kind, 0, &ends)
        (descriptor, writing) = (ends[0], ends[1])
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if writing >= 0 { close(writing) }
    }

    var isRaised: Bool { raised.load(ordering: .acquiring) }

    func raise() {
        raised.store(true, ordering: .releasing)
        var byte: UInt8 = 1
        if writing >= 0 { _ = write(writing, &byte, 1) }
    }

    /// Waits for the end of a time, or until the descriptor is raised.
    func rest(_ duration: Duration) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, Int32(clamping: max(0, duration.nanoseconds / 1_000_000)))
    }
}
