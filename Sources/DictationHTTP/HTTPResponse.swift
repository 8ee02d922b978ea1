#if Captions || Server
/// What a server answers.
package struct HTTPResponse: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Bytes that come while the client reads.
        case source(any HTTPSource)
        /// The end of HTTP: the connection speaks another protocol from here on.
        case upgrade(@Sendable (UpgradedConnection) -> Void)
    }

    package var status: UInt32
    package var headers: [String: String]
    package var body: Body

    package init(_ status: UInt32, _ headers: [String: String] = [:], body: Body) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    package init(_ status: UInt32, _ text: String, type: String = "text/plain; charset=utf-8") {
        self.init(status, ["Content-Type": type], body: .bytes(Array(text.utf8)))
    }
}

/// The bytes of an answer that come while the client reads. The server's thread calls the functions and must not wait.
package protocol HTTPSource: AnyObject, Sendable {
    /// Says that a client reads. Wake the connection after each change.
    func begin(_ connection: HTTPConnection)
    /// Writes bytes into a block.
    func read(into block: UnsafeMutableRawBufferPointer) -> HTTPRead
    /// Says that the client reads no more.
    func end()
}

/// What a source has for its reader.
package enum HTTPRead: Sendable, Hashable {
    case bytes(Int)
    /// Nothing yet. The source wakes the connection when it has something.
    case nothing
    case end
}
#endif
