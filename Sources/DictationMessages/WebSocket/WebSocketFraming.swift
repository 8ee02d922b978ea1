#if Remote || Server
import CWslay

/// The frames of one websocket connection, for a client or a server. It does no input or output of its own.
///
/// Bytes of the peer go into ``receive(_:)``, which returns whole messages. Messages for the peer go into ``send(_:)``.
/// The bytes to write collect in ``output``; libwslay adds the answers to pings and to the peer's close. Write the output
/// before receiving more, so that a peer that only pings doesn't fill the memory.
///
/// A peer that breaks the protocol, or sends a message beyond the limit, gets a close frame with the reason. After that
/// nothing is received.
package final class WebSocketFraming {
    package enum Role: Sendable {
        /// Masks what it sends.
        case client
        /// Takes only masked frames.
        case server
    }

    /// The bytes to write.
    package private(set) var output: [UInt8] = []
    private var context: wslay_event_context_ptr?
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private var messages: [WebSocketMessage] = []
    /// The number of frames of the message that is arriving.
    private var frameCount = 0
    /// The size of the frames of the message that is arriving, also of what is still missing in the last one.
    package private(set) var arriving = 0
    /// The content of the peer's close frame so far, and its whole size.
    private var farewell: (bytes: [UInt8], size: UInt64)?

    /// The greatest number of frames of a message. Each takes memory, even an empty one.
    private static let frameLimit = 4_096

    /// Creates the framing of a connection whose handshake is done.
    ///
    /// - Parameters:
    ///   - role: The role of this side.
    ///   - messageLimit: The greatest number of bytes of a message of the peer.
    package init(_ role: Role, messageLimit: Int) {
        var callbacks = wslay_event_callbacks(
            recv_callback: webSocketRead, send_callback: webSocketWrite, genmask_callback: webSocketMask,
            on_frame_recv_start_callback: webSocketBeginFrame, on_frame_recv_chunk_callback: webSocketChunk,
            on_frame_recv_end_callback: nil, on_msg_recv_callback: webSocketTake)
        let owner = Unmanaged.passUnretained(self).toOpaque()
        switch role {
        case .client: wslay_event_context_client_init(&context, &callbacks, owner)
        case .server: wslay_event_context_server_init(&context, &callbacks, owner)
        }
        wslay_event_config_set_max_recv_msg_length(context, UInt64(max(0, messageLimit)))
    }

    deinit { wslay_event_context_free(context) }

    /// Whether more messages can arrive: neither side has closed the connection, and the peer kept to the protocol.
    package var isReceiving: Bool { context != nil && wslay_event_want_read(context) != 0 }

    /// Whether messages can be sent.
    package var isSending: Bool { context != nil && wslay_event_get_close_sent(context) == 0 && !isClosing }
    private var isClosing = false

    /// Takes bytes of the peer, and returns the messages that they complete.
    package func receive(_ bytes: UnsafeRawBufferPointer) -> [WebSocketMessage] {
        guard isReceiving else { return [] }
        input = bytes
        if wslay_event_recv(context) != 0 {
            wslay_event_shutdown_read(context)
            close(code: frameCount > Self.frameLimit ? 1_009 : 1_011)
        }
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        takeLaterClose()
        flush()
        defer { messages = [] }
        return messages
    }

    /// Adds a message to the output. After a close, messages are ignored.
    package func send(_ message: WebSocketMessage) {
        guard isSending else { return }
        switch message {
        case .text(var text): text.withUTF8 { queue(WSLAY_TEXT_FRAME, UnsafeRawBufferPointer($0)) }
        case .binary(let bytes): bytes.withUnsafeBytes { queue(WSLAY_BINARY_FRAME, $0) }
        case .close(let code, let reason): close(code: code, reason: reason)
        }
        flush()
    }

    /// Adds a ping to the output. An honest peer answers.
    package func ping() {
        guard isSending else { return }
        queue(WSLAY_PING, UnsafeRawBufferPointer(start: nil, count: 0))
        flush()
    }

    /// Takes bytes from the front of the output, after they were written.
    package func written(_ count: Int) { output.removeFirst(min(max(0, count), output.count)) }

    private func close(code: UInt16, reason: String = "") {
        isClosing = true
        // A control frame has at most 125 bytes, two of them for the code.
        let reason = Array(reason.utf8.prefix(123))
        wslay_event_queue_close(context, code, reason, reason.count)
    }

    private func queue(_ opcode: wslay_opcode, _ bytes: UnsafeRawBufferPointer) {
        var message = wslay_event_msg(
            opcode: UInt8(opcode.rawValue), msg: bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
            msg_length: bytes.count)
        wslay_event_queue_msg(context, &message)
    }

    /// Moves what libwslay has queued into the output.
    private func flush() {
        while context != nil, wslay_event_want_write(context) != 0, wslay_event_send(context) == 0 {}
    }

    // MARK: What libwslay calls

    fileprivate static func of(_ owner: UnsafeMutableRawPointer?) -> WebSocketFraming? {
        owner.map { Unmanaged<WebSocketFraming>.fromOpaque($0).takeUnretainedValue() }
    }

    fileprivate func read(into memory: UnsafeMutableRawBufferPointer) -> Int {
        guard frameCount <= Self.frameLimit else { return fail(WSLAY_ERR_CALLBACK_FAILURE) }
        let count = min(memory.count, input.count)
        guard count > 0 else { return fail(WSLAY_ERR_WOULDBLOCK) }
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
        input = UnsafeRawBufferPointer(rebasing: input[count...])
        return count
    }

    private func fail(_ error: wslay_error) -> Int {
        wslay_event_set_error(context, error.rawValue)
        return -1
    }

    fileprivate func write(_ bytes: UnsafeRawBufferPointer) { output += bytes }

    fileprivate func beginFrame(opcode: UInt8, size: UInt64) {
        if opcode == UInt8(WSLAY_CONNECTION_CLOSE.rawValue) { farewell = ([], size) }
        // Control frames may come between the frames of a message.
        guard opcode < UInt8(WSLAY_CONNECTION_CLOSE.rawValue) else { return }
        frameCount += 1
        arriving = arriving.addingReportingOverflow(Int(clamping: size)).partialValue
    }

    fileprivate func takeChunk(_ bytes: UnsafeRawBufferPointer) { farewell?.bytes += bytes }

    /// Takes a close with one of the codes that were added to the standard's list later, and that libwslay takes for a
    /// breach of it.
    private func takeLaterClose() {
        guard !isReceiving, !isClosing, let (bytes, size) = farewell, bytes.count >= 2, bytes.count == size,
            case let code = UInt16(bytes[0]) << 8 | UInt16(bytes[1]), (1_012...1_014).contains(code),
            let reason = String(validating: bytes.dropFirst(2), as: UTF8.self)
        else { return }
        isClosing = true
        messages.append(.close(code: code, reason: reason))
    }

    fileprivate func take(opcode: UInt8, status: UInt16, _ bytes: UnsafeRawBufferPointer) {
        switch UInt32(opcode) {
        case WSLAY_TEXT_FRAME.rawValue:
            (frameCount, arriving) = (0, 0)
            messages.append(.text(String(decoding: bytes, as: UTF8.self)))
        case WSLAY_BINARY_FRAME.rawValue:
            (frameCount, arriving) = (0, 0)
            messages.append(.binary(Array(bytes)))
        case WSLAY_CONNECTION_CLOSE.rawValue:
            isClosing = true
            let reason = String(decoding: bytes.dropFirst(2), as: UTF8.self)
            messages.append(.close(code: status == 0 ? 1_005 : status, reason: reason))
        default: break
        }
    }
}

private func webSocketRead(
    _ context: wslay_event_context_ptr?, _ memory: UnsafeMutablePointer<UInt8>?, _ size: Int, _ flags: Int32,
    _ owner: UnsafeMutableRawPointer?
) -> Int {
    WebSocketFraming.of(owner)?.read(into: UnsafeMutableRawBufferPointer(start: memory, count: size)) ?? -1
}

private func webSocketWrite(
    _ context: wslay_event_context_ptr?, _ bytes: UnsafePointer<UInt8>?, _ size: Int, _ flags: Int32,
    _ owner: UnsafeMutableRawPointer?
) -> Int {
    WebSocketFraming.of(owner)?.write(UnsafeRawBufferPointer(start: bytes, count: size))
    return size
}

/// The masks come from the system's generator, which nobody can foresee.
private func webSocketMask(
    _ context: wslay_event_context_ptr?, _ memory: UnsafeMutablePointer<UInt8>?, _ size: Int,
    _ owner: UnsafeMutableRawPointer?
) -> Int32 {
    var random = SystemRandomNumberGenerator()
    for index in 0..<size { memory?[index] = random.next() }
    return 0
}

private func webSocketBeginFrame(
    _ context: wslay_event_context_ptr?, _ frame: UnsafePointer<wslay_event_on_frame_recv_start_arg>?,
    _ owner: UnsafeMutableRawPointer?
) {
    guard let frame = frame?.pointee else { return }
    WebSocketFraming.of(owner)?.beginFrame(opcode: frame.opcode, size: frame.payload_length)
}

private func webSocketChunk(
    _ context: wslay_event_context_ptr?, _ chunk: UnsafePointer<wslay_event_on_frame_recv_chunk_arg>?,
    _ owner: UnsafeMutableRawPointer?
) {
    guard let chunk = chunk?.pointee else { return }
    WebSocketFraming.of(owner)?.takeChunk(UnsafeRawBufferPointer(start: chunk.data, count: chunk.data_length))
}

private func webSocketTake(
    _ context: wslay_event_context_ptr?, _ message: UnsafePointer<wslay_event_on_msg_recv_arg>?,
    _ owner: UnsafeMutableRawPointer?
) {
    guard let message = message?.pointee else { return }
    WebSocketFraming.of(owner)?.take(
        opcode: message.opcode, status: message.status_code,
        UnsafeRawBufferPointer(start: message.msg, count: message.msg_length))
}
#endif
