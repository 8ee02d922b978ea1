#if Remote
public import DictationCore
public import DictationEngines

/// Speech recognition by sherpa-onnx's streaming websocket server, `sherpa-onnx-online-websocket-server`.
///
/// ```swift
/// let engine = try SherpaServerEngine(RemoteServer("ws://127.0.0.1:6006"), locales: ["en-US"])
/// ```
///
/// The server shows text while the user speaks, and tells when each word was said. It ends an utterance at a pause, by
/// its own settings. If the connection is lost, the audio that is not final is sent again.
///
/// The server does not tell its languages, so the engine has to be told.
public final class SherpaServerEngine: SpeechEngine {
    /// The engine's name.
    public var name: String { sessions.name }
    /// The engine's capabilities: dictation, volatile results and the times of words.
    public var capabilities: EngineCapabilities { sessions.capabilities }
    /// The server.
    public var server: RemoteServer { sessions.links.server }
    /// The configuration.
    public let configuration: Configuration
    private let sessions: RemoteSessions

    /// The configuration of a ``SherpaServerEngine``.
    public struct Configuration: Sendable, Hashable {
        /// The number of samples in a second that the server expects.
        public var sampleRate = 16_000
        /// The case of the text, if the server writes only capital letters.
        public var textCase: SherpaOnnxConfiguration.TextCase = .sentence

        /// Creates the default configuration.
        public init() {}
    }

    /// Creates an engine. It connects when a session or ``prepare(_:progress:)`` needs it.
    ///
    /// - Parameters:
    ///   - server: The server, with addresses such as `ws://host:6006`, `wss://host` or `unix:/run/speech.sock`.
    ///   - locales: The languages that the server's model recognizes.
    ///   - configuration: The configuration.
    /// - Throws: `DictationError` with the code `invalidInput` for an address of another kind, and `unsupportedFormat`
    ///   for a sample rate that audio can't have.
    public init(
        _ server: RemoteServer, locales: [SpeechLocale], configuration: Configuration = .init()
    ) throws(DictationError) {
        self.configuration = configuration
        let format = AudioFormat(sampleRate: configuration.sampleRate)
        let links = try RemoteLinks(server, ports: ["ws": 6_006, "wss": 443, "unix": 0]) { address, options in
            let request = SherpaServerDialect.Request(
                format: format,
                casing: Casing(textCase: configuration.textCase, language: options.locale.language),
                wordTimes: options.wordTimes)
            return WebSocketConversation(
                SherpaServerDialect(request, of: address.text), with: address, token: server.token)
        }
        sessions = try RemoteSessions(
            name: .sherpaServer, EngineCapabilities([.dictation, .volatileResults, .wordTimes]), locales: locales,
            format: format, links)
    }

    /// The locales that the engine was told.
    public var supportedLocales: [SpeechLocale] { get async { sessions.locales } }

    /// Returns the audio format: mono, 16-bit, at the configured rate.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        try await check(options)
        return sessions.format
    }

    /// Connects ahead, so that the next session begins at once.
    ///
    /// - Throws: `DictationError` also with the codes `serverUnavailable` and `serverRefused`.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        try await check(options)
        try await sessions.prepare(options)
        progress(1)
    }

    /// Creates a session, and connects to the server.
    ///
    /// - Throws: `DictationError` also with the codes `serverUnavailable` and `serverRefused`.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        try await check(options)
        return try await sessions.makeSession(options)
    }
}
#endif
