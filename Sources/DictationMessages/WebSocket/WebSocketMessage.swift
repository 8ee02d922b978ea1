/// A message of a websocket.
package enum WebSocketMessage: Sendable, Hashable {
    /// Text, which is valid UTF-8.
    case text(String)
    /// Bytes.
    case binary([UInt8])
    /// The end of the connection, with its status code; 1005 if the peer gave none.
    case close(code: UInt16, reason: String)

    /// The size of the content.
    package var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        case .close: 0
        }
    }
}
