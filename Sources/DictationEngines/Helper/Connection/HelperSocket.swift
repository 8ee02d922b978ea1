import DictationSystem
import Synchronization

/// One end of the socket between a program and its helper.
final class HelperSocket: Sendable {
    private let end: Descriptor
    /// Held while a message is sent, so that the packets of two messages do not mix.
    private let sending = Mutex(())

    /// Takes over a descriptor.
    init(_ descriptor: Int32) { end = Descriptor(descriptor) }

    var descriptor: Int32 { end.number }

    /// Sends a message. Blocks while the other side reads too slowly.
    ///
    /// - Returns: `false` if the other side has gone.
    @discardableResult
    func send(_ message: HelperMessage) -> Bool {
        sending.withLock { _ in
            var rest = message.body[...]
            repeat {
                let part = rest.prefix(HelperPacket.bodySize)
                rest = rest.dropFirst(part.count)
                guard transmit(HelperPacket.header(message, hasMore: !rest.isEmpty) + part) else { return false }
            } while !rest.isEmpty
            return true
        }
    }

    /// Sends a message without a body, unless that would block.
    func sendNow(_ message: HelperMessage) {
        _ = sending.withLockIfAvailable { _ in
            transmit(HelperPacket.header(message, hasMore: false), Int32(MSG_DONTWAIT))
        }
    }

    private func transmit(_ packet: [UInt8], _ flags: Int32 = 0) -> Bool {
        // Without this flag, a helper that has ended would also end this process.
        let count = uninterrupted {
            packet.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | flags) }
        }
        return count == packet.count
    }
}

/// Reads the messages of a socket and checks their form.
struct HelperReceiver {
    enum Received {
        case message(HelperMessage)
        /// Nothing, or only a part of a message, has come so far.
        case nothing
        /// The other side has gone.
        case end
        /// The other side sent something else than a message.
        case garbage
    }

    private let socket: HelperSocket
    private let limit: Int
    private var packet = [UInt8](repeating: 0, count: HelperPacket.size + 1)
    private var started: HelperMessage?

    /// - Parameters:
    ///   - socket: The socket.
    ///   - limit: The greatest size of a body.
    init(_ socket: HelperSocket, limit: Int) {
        self.socket = socket
        self.limit = limit
    }

    /// Reads one packet.
    mutating func receive(waiting: Bool) -> Received {
        let count = packet.withUnsafeMutableBytes {
            recv(socket.descriptor, $0.baseAddress, $0.count, waiting ? 0 : Int32(MSG_DONTWAIT))
        }
        if count < 0, errno == EINTR || errno == EAGAIN { return .nothing }
        guard count > 0 else { return .end }
        guard count <= HelperPacket.size else { return .garbage }
        return packet.withUnsafeBytes { admit(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    /// Adds a packet to the message that it belongs to.
    mutating func admit(_ bytes: UnsafeRawBufferPointer) -> Received {
        guard let (header, hasMore) = HelperPacket.read(bytes) else { return .garbage }
        var message = header
        if let started {
            guard started.kind == message.kind, started.session == message.session else { return .garbage }
            message.body = started.body
        }
        started = nil
        message.body += bytes[HelperPacket.headerSize...]
        guard message.body.count <= limit else { return .garbage }
        guard hasMore else { return .message(message) }
        started = message
        return .nothing
    }
}

/// The two ends of a new socket for messages.
final class HelperSocketPair: Sendable {
    let ours: HelperSocket
    private let other: Mutex<Descriptor?>

    /// The helper's end.
    var theirs: Int32 { other.withLock { $0?.number ?? -1 } }

    init() throws(SystemError) {
        let pair = try Descriptor.pair(keepsMessages: true)
        ours = HelperSocket(pair.0)
        other = Mutex(Descriptor(pair.1))
    }

    func closeTheirs() { other.withLock { $0 = nil } }
}
