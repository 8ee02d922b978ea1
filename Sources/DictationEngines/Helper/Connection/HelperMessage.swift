import DictationCore

/// A message between a program and its helper.
struct HelperMessage: Sendable {
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
        /// An update; see ``HelperUpdate``.
        case update
        /// So much of a recording was decoded as `time` says.
        case decoded
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
struct HelperPacket {
    static let headerSize = 32
    /// The greatest number of bytes of a body in one packet.
    static let bodySize = 1 << 15
    static let size = headerSize + bodySize

    /// Returns the header of a message. `hasMore` says that the next packet goes on with the body.
    static func header(_ message: HelperMessage, hasMore: Bool) -> [UInt8] {
        var header = HelperBytes()
        header.write(message.kind.rawValue)
        header.write(hasMore)
        header.write(UInt16.zero)
        header.write(message.session)
        header.write(message.number)
        header.write(message.time)
        return header.bytes
    }

    /// Reads a header; `nil` if it can't be one.
    static func read(_ bytes: UnsafeRawBufferPointer) -> (message: HelperMessage, hasMore: Bool)? {
        var reader = HelperBytesReader(bytes)
        return try? reader.header()
    }
}

extension HelperBytesReader {
    fileprivate mutating func header() throws(Damage) -> (message: HelperMessage, hasMore: Bool) {
        guard let kind = HelperMessage.Kind(rawValue: try integer(UInt8.self)) else { throw Damage() }
        let hasMore = try condition()
        guard try integer(UInt16.self) == 0 else { throw Damage() }
        let message = HelperMessage(
            kind: kind, session: try integer(UInt32.self), number: try integer(UInt64.self), time: try time())
        return (message, hasMore)
    }
}
