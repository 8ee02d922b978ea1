#if Captions || Server
/// A request without its body.
package struct HTTPRequest: Sendable, Hashable {
    package var method: String
    /// The path without the query, decoded.
    package var path: String
    package var query: [String: String]
    /// The headers by their names in small letters. Of several with one name, the last one counts.
    package var headers: [String: String]
    /// The numeric address of the other end.
    package var peer: String
    /// The server's port.
    package var port: UInt16
    /// What makes the request ambiguous, so that a proxy may have understood another one; `nil` if nothing does.
    package var fault: String?
    /// The place of its connection; `nil` for a server that counts none.
    package var place: ClientPlace?

    package init(
        method: String, path: String, query: [String: String] = [:], headers: [String: String] = [:],
        peer: String = "", port: UInt16 = 0
    ) {
        (self.method, self.path, self.query, self.headers) = (method, path, query, headers)
        (self.peer, self.port) = (peer, port)
    }

    /// The number of bytes of the body; `nil` if the request does not say.
    package var contentLength: Int64? { headers["content-length"].flatMap { Int64($0) } }
}

/// Compares two texts in a time that depends only on their lengths.
package func isEqualSecret(_ text: String, _ secret: String) -> Bool {
    text.utf8.count == secret.utf8.count && zip(text.utf8, secret.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}
#endif
