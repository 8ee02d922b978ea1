public import DictationCore

/// A speech server that someone runs: its addresses, and how to connect to them.
///
/// ```swift
/// var server = RemoteServer("wss://speech.example.org", "wss://speech2.example.org")
/// server.token = try SecretText(from: .environment("SPEECH_TOKEN"))
/// ```
///
/// The certificate of a server is always checked, by the authorities of the system or by ``authorities``.
public struct RemoteServer: Sendable, Hashable {
    /// The addresses of servers that do the same. New sessions are spread over them. If one fails, the next takes over.
    public var addresses: [String]
    /// The token that the server asks for. It is sent as `Authorization: Bearer`.
    public var token: SecretText?
    /// A PEM file with the certificates to trust instead of those of the system.
    public var authorities: String?
    /// The address of a proxy. `nil` uses the environment variables `https_proxy`, `http_proxy`, `all_proxy` and
    /// `no_proxy`, but never for a server at `localhost`, `127.0.0.0/8` or `::1`; an empty text means no proxy.
    public var proxy: String?
    /// How long making a connection may take.
    public var connectTimeout: Duration = .seconds(5)
    /// How long a server with work may stay silent before its connection counts as lost.
    public var responseTimeout: Duration = .seconds(15)
    /// How long a server may take to recognize a whole piece of speech, of at most half a minute.
    public var recognitionTimeout: Duration = .seconds(60)
    /// How long a session goes on without a server, before it fails. Meanwhile it keeps its audio.
    public var reconnectTimeout: Duration = .seconds(30)
    /// The waits between attempts to connect.
    public var backOff = BackOff(first: .milliseconds(100), longest: .seconds(5))

    /// Creates a server from its addresses.
    public init(_ addresses: String...) { self.addresses = addresses }

    /// Creates a server from a list of addresses.
    public init(addresses: [String]) { self.addresses = addresses }
}

extension DictationError.Code {
    /// A server that can't be reached, or that does not answer. Trying again may help.
    public static let serverUnavailable = DictationError.Code(rawValue: "serverUnavailable")
    /// A server that refuses a request, for example because of the token.
    public static let serverRefused = DictationError.Code(rawValue: "serverRefused")
    /// A server whose answer makes no sense.
    public static let serverAnswerInvalid = DictationError.Code(rawValue: "serverAnswerInvalid")
}
