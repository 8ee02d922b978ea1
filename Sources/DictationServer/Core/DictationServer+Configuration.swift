#if Server
public import DictationCore

extension DictationServer {
    /// Where and how a server serves.
    ///
    /// The usual configuration serves this machine alone, without a token. Everything beyond it needs a token.
    public struct Configuration: Sendable {
        /// A numeric address of this machine, and a port.
        public struct Place: Sendable, Hashable {
            /// The address: `127.0.0.1` for this machine alone, `0.0.0.0` for every network.
            public var address: String
            /// The port; 0 is any free one.
            public var port: UInt16

            /// Creates a place. The usual address is reached from this machine alone.
            public init(address: String = "127.0.0.1", port: UInt16) {
                self.address = address
                self.port = port
            }
        }

        /// The place of the OpenAI-compatible interface; `nil` to leave it out.
        public var http: Place? = Place(port: 8_000)
        /// The place of the Wyoming interface; `nil` to leave it out.
        public var wyoming: Place?
        /// The full path of a unix socket at which the Wyoming interface is served too, to programs of this user; `nil` for
        /// none.
        public var wyomingSocket: String?
        /// Serves Wyoming to other machines too, although the protocol has no token: everyone who reaches the port may use
        /// the engine.
        public var allowsOpenWyoming = false
        /// The token that clients must send; `nil` for none, which is possible on this machine alone.
        public var token: SecretText?
        /// The file of the certificate and those above it, as PEM; `nil` to serve without encryption.
        public var certificateFile: String?
        /// The file of the certificate's key, as PEM.
        public var keyFile: String?
        /// Whether a reverse proxy on the way tells the addresses of the clients, in `X-Forwarded-For`.
        public var isBehindProxy = false
        /// Whether the names of OpenAI's models, such as `whisper-1`, mean the first model unless another model has them. Many
        /// clients name one of them and can't be told another name.
        public var takesOpenAINames = true
        /// What clients may use at most.
        public var limits = Limits()
        /// Takes an entry for each request that has ended; `nil` for no log.
        public var log: (@Sendable (LogEntry) -> Void)?
        /// Whether the log has the recognized texts.
        public var logsTexts = false

        /// Creates the usual configuration.
        public init() {}
    }
}
#endif
