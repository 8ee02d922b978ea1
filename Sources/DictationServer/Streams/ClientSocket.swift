#if Server
import CSystem
import DictationCore
import DictationHTTP
import DictationSystem
import Synchronization

/// The connection of a live stream. Read it in a thread that may wait.
final class ClientSocket: Sendable {
    private let descriptor: Int32
    /// Closes the descriptor at the end of its lifetime; `nil` if this object does.
    private let upgraded: UpgradedConnection?
    private let runtime: DictationRuntime
    /// The connection's place among those of the server; `nil` for one that is not counted.
    private let place: ClientPlace?

    private struct State {
        var isIdle = false
        var isRetired = false
        var hasEnded = false
        var receivesNothing: Bool { hasEnded || isIdle && isRetired }
    }

    private let state = Mutex(State())
    /// Wakes the thread that waits for bytes.
    private let waker = Waker()

    /// Takes over a connection that was accepted.
    init(_ descriptor: Int32, _ place: ClientPlace? = nil, runtime: DictationRuntime) {
        (self.descriptor, self.place, self.runtime, upgraded) = (descriptor, place, runtime, nil)
        _ = dictation_make_waiting(descriptor)
        place?.whenGivingWay { [weak self] in self?.end() }
    }

    /// Takes over a connection that has left HTTP.
    init(_ upgraded: UpgradedConnection, runtime: DictationRuntime) {
        (descriptor, place, self.runtime, self.upgraded) = (upgraded.descriptor, upgraded.place, runtime, upgraded)
        place?.whenGivingWay { [weak self] in self?.end() }
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
        let end = TimeLimit(limit)
        while !end.isOver, !state.withLock({ $0.receivesNothing }) {
            waker.rest(end.left, socket: descriptor)
            waker.clear()
            var code: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { memory, count in
                let received = uninterrupted {
                    recv(descriptor, memory.baseAddress, memory.count, Int32(MSG_DONTWAIT))
                }
                code = received < 0 ? errno : 0
                count = max(0, received)
            }
            if !bytes.isEmpty { return bytes }
            if code == EAGAIN { continue }
            if code != 0 { self.end() }
            return nil
        }
        return nil
    }

    /// Sends bytes. A client that reads nothing for ten seconds has to leave.
    ///
    /// - Returns: `false` if the client has left.
    func send(_ bytes: [UInt8]) async -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty, !state.withLock({ $0.hasEnded }) {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            guard count < 0, errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR else { break }
            let room = SocketWatch.shared.wait(for: .room, of: descriptor)
            guard await runtime.within(.seconds(10), { await room.event() }) == true else { break }
        }
        if !rest.isEmpty { end() }
        return rest.isEmpty
    }

    /// Says that nothing more is sent.
    func endSending() { dictation_end_sending(descriptor) }

    /// Says that nothing more is sent, and reads what the client still sends for a moment: closing a connection with
    /// unread bytes would take the last ones that were sent away from the client.
    func finish() {
        endSending()
        note(isIdle: false)
        let end = runtime.now() + .seconds(5)
        var unread = 16 << 20
        while unread > 0, runtime.now() < end, let bytes = receive(within: .seconds(1)) { unread -= bytes.count }
    }

    /// Whether the client may still get something: it has sent all, or nothing for long, and has not left.
    var isOpen: Bool { state.withLock { !$0.hasEnded } }

    /// Says whether nothing of the client is being worked on, so that nothing is lost if the connection ends.
    func note(isIdle: Bool) {
        state.withLock { $0.isIdle = isIdle }
        if isIdle { place?.rest() }
    }

    /// Begins to work for a client, so that the connection need not give way to another.
    func begin(for client: String) throws(ServerRefusal) {
        do throws(ClientPlaces.Refusal) { try place?.begin(for: client) } catch { throw .busy(error) }
    }

    /// Receives nothing more once the connection is idle, now or later.
    func retire() {
        state.withLock { $0.isRetired = true }
        waker.wake()
    }

    /// Ends the connection, which wakes the thread that waits for it.
    func end() {
        state.withLock { $0.hasEnded = true }
        dictation_end_connection(descriptor)
        waker.wake()
    }
}
#endif
