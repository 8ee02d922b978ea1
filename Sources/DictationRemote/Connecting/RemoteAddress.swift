#if Remote
import DictationCore
import DictationWeb

/// The parts of a server's address.
struct RemoteAddress: Sendable, Hashable {
    /// The scheme in lower case, such as `wss`.
    let scheme: String
    let host: String
    let port: Int
    /// The path and query, beginning with a slash.
    var path: String
    /// The path of a unix socket; `nil` for a server in the network.
    let unixSocket: String?
    /// The address as it was given, for messages, without its query.
    let text: String

    /// Whether the connection is encrypted.
    var isSecure: Bool { Self.secureSchemes.contains(scheme) }
    /// The host and the port, as a request names them.
    var authority: String { unixSocket == nil ? "\(host):\(port)" : host }
    private static let secureSchemes: Set<String> = ["https", "tls", "wss"]

    /// Reads the addresses of a server, and checks its token.
    static func list(of server: RemoteServer, ports: [String: Int]) throws(DictationError) -> [RemoteAddress] {
        guard !server.addresses.isEmpty else {
            throw DictationError(.invalidInput, "The server has no address.", recovery: "Give one or more addresses.")
        }
        if let token = server.token, !token.canBeSent {
            throw DictationError(
                .invalidInput, "The token has characters that can't be sent.",
                recovery: "Give it as one line of ASCII characters without spaces.")
        }
        var addresses: [RemoteAddress] = []
        for address in server.addresses { addresses.append(try RemoteAddress(address, ports: ports)) }
        return addresses
    }

    /// Reads an address.
    ///
    /// - Parameters:
    ///   - text: The address.
    ///   - ports: The schemes that the server's kind knows, and the port of each if the address has none.
    init(_ text: String, ports: [String: Int]) throws(DictationError) {
        func refusal(_ reason: String) -> DictationError {
            DictationError(
                .invalidInput, "“\(text)” is not the address of such a server: \(reason).",
                recovery: "Give an address that begins with \(ports.keys.sorted().joined(separator: ":// or "))://.")
        }
        // What follows a question mark may be a key.
        self.text = text.firstIndex(of: "?").map { text[...$0] + "…" } ?? text
        guard let scheme = text.split(separator: ":", maxSplits: 1).first.map({ $0.lowercased() }),
            let port = ports[scheme], text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
        else { throw refusal("it has another form") }
        self.scheme = scheme
        if scheme == "unix" {
            let path = String(text.dropFirst(5)).replacingPrefix("//", with: "")
            // Not a path: only told apart from the rest of the address. A socket's name has at most 107 bytes.
            guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count < 108 else {
                throw refusal("the socket needs a full path")
            }
            (host, self.port, self.path, unixSocket) = ("localhost", 0, "/", path)
            return
        }
        guard let parts = WebAddress(text) else { throw refusal("it has another form") }
        guard !parts.hasUser else {
            throw DictationError(
                .invalidInput, "An address of a server has a user name or password in it.",
                recovery: "Give it as the token instead.")
        }
        (host, self.port, path) = (parts.host, parts.port ?? port, parts.path)
        unixSocket = nil
    }
}

extension SecretText {
    /// Whether a header of HTTP can hold the secret.
    fileprivate var canBeSent: Bool { !value.isEmpty && value.utf8.allSatisfy { (0x21..<0x7F).contains($0) } }
}

extension String {
    fileprivate func replacingPrefix(_ prefix: String, with other: String) -> String {
        hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
    }
}
#endif
