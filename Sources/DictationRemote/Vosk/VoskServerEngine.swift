#if Remote
public import DictationCore
import DictationEngines

/// Speech recognition by the websocket server of Vosk.
///
/// ```swift
/// let engine = try VoskServerEngine(RemoteServer("ws://127.0.0.1:2700"), locales: ["en-US"])
/// ```
///
/// The server shows text while the user speaks, and tells the time and the confidence of each word. If the connection is
/// lost, the audio that is not final is sent again.
///
/// The server does not tell its languages, so the engine has to be told.
public final class VoskServerEngine: SpeechEngine {
    /// The engine's name.
    public var name: String { sessions.name }
    /// The engine's capabilities: dictation, volatile results, and the times and confidence of words.
    public var capabilities: EngineCapabilities { sessions.capabilities }
    /// The server.
    public var server: RemoteServer { sessions.links.server }
    private let sessions: RemoteSessions

    /// Creates an engine. It connects when a session or ``prepare(_:progress:)`` needs it.
    ///
    /// - Parameters:
    ///   - server: The server, with addresses such as `ws://host:2700`, `wss://host` or `unix:/run/speech.sock`.
    ///   - locales: The languages that the server's model recognizes.
    /// - Throws: `DictationError` with the code `invalidInput` for an address of another kind.
    public init(_ server: RemoteServer, locales: [SpeechLocale]) throws(DictationError) {
        let links = try RemoteLinks(server, ports: ["ws": 2_700, "wss": 443, "unix": 0]) { address, options in
            WebSocketConversation(
                VoskServerDialect(options, format: .speech, of: address.text), with: address, token: server.token)
        }
        sessions = try RemoteSessions(
            name: .voskServer,
            EngineCapabilities([.dictation, .volatileResults, .wordTimes, .wordConfidence]), locales: locales,
            format: .speech, links)
    }

    /// The locales that the engine was told.
    public var supportedLocales: [SpeechLocale] { get async { sessions.locales } }

    /// Returns the engine's audio format: 16 kHz, mono, 16-bit.
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
