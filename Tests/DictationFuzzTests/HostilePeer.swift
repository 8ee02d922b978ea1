import DictationCore
import DictationTesting
import Glibc

@testable import DictationEngines

/// One end of a real connection between a program and its helper, whose other end is in the code under test. It sends
/// messages that are mostly in order, and now and then something that no program and no helper sends.
struct HostilePeer {
    var random: SplitMix64
    let socket: Int32
    /// Of this number of messages, one is wrong.
    let rarity: Int
    private(set) var sentCount = 0

    init(seed: UInt64, socket: Int32, rarity: Int) {
        random = SplitMix64(seed: seed)
        self.socket = socket
        self.rarity = rarity
    }

    mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    /// Sends a message, or something that looks a bit like it. Returns `false` if the other side has gone.
    mutating func send(_ message: HelperMessage) -> Bool {
        let packets = chance(rarity) ? wrongPackets(like: message) : [Self.packet(message)]
        for packet in packets {
            guard transmit(packet) else { return false }
            sentCount += 1
        }
        return true
    }

    static func packet(_ message: HelperMessage, hasMore: Bool = false) -> [UInt8] {
        HelperPacket.header(message, hasMore: hasMore) + message.body.prefix(HelperPacket.bodySize)
    }

    private mutating func wrongPackets(like message: HelperMessage) -> [[UInt8]] {
        let packet = Self.packet(message)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return [Array(packet.prefix(Int.random(in: 0..<HelperPacket.headerSize, using: &random)))]
        case 1: return [noise(Int.random(in: 1...200, using: &random))]
        case 2: return [packet + noise(HelperPacket.size)]
        case 3: return [Self.packet(message, hasMore: true)] + [packet, packet]
        case 4:
            // A body that never ends, up to the limit at times.
            let part = Self.packet(message, hasMore: true) + noise(HelperPacket.bodySize - message.body.count % 1_000)
            let whole = Array(part.prefix(HelperPacket.size))
            return Array(repeating: whole, count: chance(20) ? 600 : 3)
        case 5:
            var other = message
            other.number = .random(in: .min ... .max, using: &random)
            return [Self.packet(other)]
        case 6:
            var other = message
            other.session = .random(in: .min ... .max, using: &random)
            return [Self.packet(other)]
        case 7:
            var other = message
            other.time =
                [
                    .seconds(-1), .seconds(1 << 50), .init(secondsComponent: .max / 8, attosecondsComponent: 0),
                ].randomElement(using: &random) ?? .zero
            return [Self.packet(other)]
        case 8:
            var other = message
            other.kind = HelperMessage.Kind(rawValue: .random(in: 0...80, using: &random)) ?? .pong
            return [Self.packet(other)]
        case 9:
            // Again, and what came before it.
            return [packet, packet]
        default:
            var mutation = Mutation(of: [packet], random: random)
            let changed = mutation.next()
            random = SplitMix64(seed: random.next())
            return [Array(changed.prefix(HelperPacket.size + 1))]
        }
    }

    mutating func noise(_ count: Int) -> [UInt8] {
        (0..<max(0, count)).map { _ in .random(in: .min ... .max, using: &random) }
    }

    /// Sends a packet, at times with a descriptor that nobody asked for.
    private mutating func transmit(_ packet: [UInt8]) -> Bool {
        guard chance(50) else {
            return packet.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) == $0.count
            }
        }
        // A header of 16 bytes, the descriptor, and four bytes of padding.
        var control: [UInt8] = []
        withUnsafeBytes(of: UInt(20)) { control += $0 }
        for word in [SOL_SOCKET, 1 /* SCM_RIGHTS */, socket, 0] { withUnsafeBytes(of: Int32(word)) { control += $0 } }
        var bytes = packet
        return control.withUnsafeMutableBytes { control in
            bytes.withUnsafeMutableBytes { bytes in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    return sendmsg(socket, &message, Int32(MSG_NOSIGNAL)) == bytes.count
                }
            }
        }
    }

    /// Returns the messages that have come so far.
    func received() -> [HelperMessage] {
        var messages: [HelperMessage] = []
        var bytes = [UInt8](repeating: 0, count: HelperPacket.size)
        while true {
            let count = recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return messages }
            guard let message = bytes[..<count].withUnsafeBytes({ HelperPacket.read($0)?.message }) else { continue }
            messages.append(message)
            messages[messages.count - 1].body = Array(bytes[min(count, HelperPacket.headerSize)..<count])
        }
    }
}
