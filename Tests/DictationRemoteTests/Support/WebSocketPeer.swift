#if Remote
import DictationMessages
@testable import DictationRemote

/// The server's side of a websocket.
enum WebSocketPeer {
    /// Answers the request for a websocket.
    ///
    /// - Parameters:
    ///   - peer: The client.
    ///   - read: Receives the first line of the request.
    static func accept(_ peer: Peer, read: (String) -> Void = { _ in }) -> WebSocketFraming? {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard bytes.count < 65_536, let more = peer.read(atMost: 1) else { return nil }
            bytes += more
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        read(String(lines.first ?? ""))
        let key = lines.first { $0.lowercased().hasPrefix("sec-websocket-key: ") }?.dropFirst(19)
        let answer = """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: \(WebSocketHandshake.answer(to: String(key ?? "")))\r
            \r

            """
        return peer.write(Array(answer.utf8)) ? WebSocketFraming(.server, messageLimit: 64 << 20) : nil
    }

    /// Sends what waits, and returns the messages that arrive next; `nil` when the conversation is over.
    static func exchange(_ framing: WebSocketFraming, with peer: Peer, isOver: Bool = false) -> [WebSocketMessage]? {
        while !framing.output.isEmpty {
            let bytes = framing.output
            framing.written(bytes.count)
            guard peer.write(bytes) else { return nil }
        }
        guard !isOver, framing.isReceiving, let bytes = peer.read() else { return nil }
        return bytes.withUnsafeBytes { framing.receive($0) }
    }
}
#endif
