#if Captions || Server
import CMicroHTTPD
import CSockets
import Synchronization

/// A connection that has left HTTP for another protocol. It closes at the end of the object's lifetime.
package final class UpgradedConnection: Sendable {
    package let descriptor: Int32
    /// What the client sent right behind its request.
    package let received: [UInt8]
    private let handle: Mutex<Unchecked<OpaquePointer>>

    init(descriptor: Int32, received: [UInt8], handle: OpaquePointer) {
        (self.descriptor, self.received) = (descriptor, received)
        self.handle = Mutex(Unchecked(value: handle))
        // Its reader waits in a thread of its own.
        _ = dictation_make_waiting(descriptor)
    }

    deinit { handle.withLock { _ = dictation_close_upgraded($0.value) } }
}
#else
/// A connection that has left HTTP for another protocol.
package final class UpgradedConnection: Sendable {}
#endif
