import DictationCore

/// A message between a program and its helper.
struct HostMessage: Sendable {
    /// The kind of a message. The number goes over the socket.
    enum Kind: UInt8, Sendable {
        // From the program.
        /// A request as JSON. `session` is its number.
        case call = 1
        /// Audio of a session. `number` is the count of all bytes of the session with these, `time` is its start, and the
        /// body has the count of these bytes.
        case audio
        /// Make all audio of the session final. `number` comes back with the answer.
        case finalize
        /// The session gets no more audio.
        case endInput
        /// End the session at once.
        case close
        /// Answer with a pong.
        case ping

        // From the helper.
        /// The answer to a call as JSON. `session` is the call's number.
        case answer = 65
        /// The progress of a call, as the bits of a number from 0 to 1.
        case progress
        /// The engine took all audio up to `number` bytes.
        case taken
        /// An update as JSON.
        case update
        /// Everything is final that was asked for with `number`.
        case finalized
        /// The session has ended: with an error as JSON, or with an empty body if its recording is transcribed.
        case ended
        /// The answer to a ping.
        case pong

        var isFromHelper: Bool { rawValue >= Kind.answer.rawValue }
    }

    var kind: Kind
    var session: UInt32 = 0
    var number: UInt64 = 0
    var time: Duration = .zero
    var body: [UInt8] = []
}

/// A packet of the socket: a header, and a part of a message's body.
struct HostPacket {
    static let headerSize = 32
    /// The greatest number of bytes of a body in one packet.
    static let bodySize = 1 << 15
    static let size = headerSize + bodySize

    /// Writes the header of a message. `hasMore` says that the next packet goes on with the body.
    static func write(_ message: HostMessage, hasMore: Bool, to bytes: inout [UInt8]) {
        bytes.append(message.kind.rawValue)
        bytes.append(hasMore ? 1 : 0)
        bytes += [0, 0]
        let (seconds, attoseconds) = message.time.components
        withUnsafeBytes(of: message.session.littleEndian) { bytes += $0 }
        withUnsafeBytes(of: message.number.littleEndian) { bytes += $0 }
        withUnsafeBytes(of: seconds.littleEndian) { bytes += $0 }
        withUnsafeBytes(of: attoseconds.littleEndian) { bytes += $0 }
    }

    /// Reads a header; `nil` if it can't be one.
    static func read(_ bytes: UnsafeRawBufferPointer) -> (message: HostMessage, hasMore: Bool)? {
        guard bytes.count >= headerSize, let kind = HostMessage.Kind(rawValue: bytes[0]), bytes[1] <= 1,
            bytes[2] == 0, bytes[3] == 0
        else { return nil }
        let session = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        let number = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let seconds = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self))
        let attoseconds = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 24, as: Int64.self))
        let second: Int64 = 1_000_000_000_000_000_000
        guard abs(seconds / 2) < Int64.max / 8, -second < attoseconds, attoseconds < second else { return nil }
        let time = Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
        return (HostMessage(kind: kind, session: session, number: number, time: time), bytes[1] == 1)
    }
}
