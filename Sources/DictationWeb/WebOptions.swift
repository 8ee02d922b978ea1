#if ModelCatalog || Remote
import DictationCore

/// What a transfer or a connection needs to know.
package struct WebOptions: Sendable {
    /// The address, which begins with `http:` or `https:`.
    package var address: String
    /// How long it may take to connect.
    package var connectTimeout: Duration
    /// How long the whole transfer may take; `nil` for no limit.
    package var timeout: Duration?
    /// The greatest number of redirects to follow. None leads from `https:` to `http:`.
    package var redirects = 0
    package var headers: [String] = []
    /// The first byte of the content to ask for.
    package var offset: Int64?
    /// A file with the certificates of trusted authorities; `nil` for those of the system.
    package var authorities: String?
    /// The address of a proxy, an empty text for none, or `nil` for that of the environment, which is never used to reach
    /// this machine.
    package var proxy: String?
    /// The path of a unix socket that leads to the server.
    package var unixSocket: String?
    /// The parts of a form, in order. With any part, the request is a `POST`.
    package var form: [Part] = []

    /// A part of a form: a field, or a file if it has a name of its own.
    package struct Part: Sendable {
        package var field: String
        package var bytes: [UInt8]
        package var file: (name: String, type: String)?

        package init(_ field: String, _ bytes: [UInt8], file: (name: String, type: String)? = nil) {
            self.field = field
            self.bytes = bytes
            self.file = file
        }
    }

    package init(_ address: String, connectTimeout: Duration) {
        self.address = address
        self.connectTimeout = connectTimeout
    }

    var isSecure: Bool { address.lowercased().hasPrefix("https:") }
}

extension WebOptions {
    /// Returns the hosts to reach without the environment's proxy, in the form of the variable `no_proxy`: this machine,
    /// and those that the variable names.
    ///
    /// A proxy elsewhere can't reach a server of this machine. It would only see what was meant for that.
    package static func hostsWithoutProxy(_ environment: [String: String]) -> String {
        let named = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        // Alone, it means every host.
        guard named != "*" else { return named }
        return (["localhost", "127.0.0.1", "127.0.0.0/8", "::1"] + (named.isEmpty ? [] : [named])).joined(
            separator: ",")
    }
}

extension Duration {
    /// The number of whole milliseconds, at least one and at most those of ten years.
    var milliseconds: Int {
        let (seconds, attoseconds) = max(.milliseconds(1), min(.longestWait, self)).components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
#endif
