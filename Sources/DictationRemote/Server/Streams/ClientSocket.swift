#if Server
import CSockets
import DictationCore
import DictationHTTP
import DictationPlatform
import Synchronization

/// The connection of a live stream. Read it in a thread that may wait.
final class ClientSocket: Sendable {
    private let descriptor: Int32
    /// Closes the descriptor at the end of its lifetime; `nil` if this object does.
    private let upgraded: UpgradedConnection?
    private let runtime: DictationRuntime

    private struct State {
        var isIdle = false
        var isRetired = false
        var hasEnded = false
        var receivesNothing: Bool { hasEnded || isIdle && isRetired }
    }

    private let state = Mutex(State())
    /// How often a connection without bytes looks whether it has to end.
    private static let step = Duration.milliseconds(500)

    /// Takes over a connection that was accepted.
    init(_ descriptor: Int32, runtime: DictationRuntime) {
        (self.descriptor, self.runtime, upgraded) = (descriptor, runtime, nil)
        _ = dictation_make_waiting(descriptor)
    }

    /// Takes over a connection that has left HTTP.
    init(_ upgraded: UpgradedConnection, runtime: DictationRuntime) {
        (descriptor, self.runtime, self.upgraded) = (upgraded.descriptor, runtime, upgraded)
        // The process may have no more descriptors.
        if descriptor < 0 { state.withLock { $0.hasEnded = true } }
    }

    deinit { if upgraded == nil { close(descriptor) } }

    /// The numeric address of the other end.
    var peer: String { peerAddress(of: descriptor) }

    /// Waits for bytes.
    ///
    /// - Returns: The bytes; `nil` at the end, or when the time is over.
    func receive(within limit: Duration) -> [UInt8]? {
        var left = limit
        while left > .zero, !state.withLock({ $0.receivesNothing }) {
            let step = min(left, Self.step)
            let ready = dictation_wait_readable(descriptor, Int32(step / .milliseconds(1)))
            if ready == 0 { left -= step }
            if ready == 0 || ready == -EINTR { continue }
            guard ready > 0 else { return nil }
            let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { memory, count in
                count = max(0, recv(descriptor, memory.baseAddress, memory.count, Int32(MSG_DONTWAIT)))
            }
            if bytes.isEmpty, errno == EINTR || errno == EAGAIN, dictation_is_abandoned(descriptor) == 0 { continue }
            return bytes.isEmpty ? nil : bytes
        }
        return nil
    }

    /// Sends bytes. A client that reads nothing for ten seconds has to leave.
    ///
    /// - Returns: `false` if the client has left.
    func send(_ bytes: [UInt8]) async -> Bool {
        var rest = bytes[...]
        var patience = 500
        while !rest.isEmpty, !state.withLock({ $0.hasEnded }) {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
                patience = 500
                continue
            }
            guard count < 0, errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR, patience > 0 else { break }
            patience -= 1
            try? await runtime.sleep(.milliseconds(20))
        }
        if !rest.isEmpty { end() }
        return rest.isEmpty
    }

    /// Says that nothing more is sent, and reads what the client still sends for a moment: closing a connection with
    /// unread bytes would take the last ones that were sent away from the client.
    func finish() {
        dictation_end_sending(descriptor)
        note(isIdle: false)
        let end = runtime.now() + .seconds(5)
        var unread = 16 << 20
        while unread > 0, runtime.now() < end, let bytes = receive(within: .seconds(1)) { unread -= bytes.count }
    }

    /// Says whether nothing of the client is being worked on, so that nothing is lost if the connection ends.
    func note(isIdle: Bool) { state.withLock { $0.isIdle = isIdle } }

    /// Receives nothing more once the connection is idle, now or later.
    func retire() { state.withLock { $0.isRetired = true } }

    /// Ends the connection, which wakes the thread that waits for it.
    func end() {
        state.withLock { $0.hasEnded = true }
        dictation_end_connection(descriptor)
    }
}
#endif
