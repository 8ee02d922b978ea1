#if Remote
public import DictationCore
public import DictationEngines

/// Speech recognition by a server with the OpenAI interface: OpenAI's own, or one of the many that speak it too.
///
/// ```swift
/// var server = RemoteServer("http://127.0.0.1:8000")
/// let engine = try OpenAIEngine(server, locales: ["en-US"]) { $0.dialect = .vLLM }
/// ```
///
/// By default, each stretch of speech is a request, so the engine cuts speech at pauses, and several stretches can be on
/// their way at once. With the ``Interface/realtime`` interface the engine streams the audio. A stretch that gets lost is
/// sent again, at most once.
public final class OpenAIEngine: SpeechEngine, ParallelTranscribing, ModelListing {
    /// The engine's name.
    public let name = EngineID.openAI.rawValue
    /// The engine's capabilities with this dialect and interface: dictation; the times of words where the server tells
    /// them; and text before it is final, where the server streams it.
    public let capabilities: EngineCapabilities
    /// The server.
    public let server: RemoteServer
    /// The configuration.
    public let configuration: Configuration
    private let locales: [SpeechLocale]
    private let pieces: OpenAIPieces?
    private let requests: PieceSessions?
    private let streams: RemoteSessions?

    /// The interface that the engine uses.
    public enum Interface: String, Sendable, Hashable, CaseIterable {
        /// A request for each stretch of speech.
        case requests
        /// A websocket that gets the audio as it comes.
        case realtime
    }

    /// The configuration of an ``OpenAIEngine``.
    public struct Configuration: Sendable, Hashable {
        /// The name of the server's model.
        public var model = "whisper-1"
        /// How the server deviates from the original.
        public var dialect = OpenAIDialect.openAI
        /// The interface.
        public var interface = Interface.requests
        /// A text that tells the model about style and names; `nil` for none.
        public var prompt: String?
        /// The pauses that end a stretch of speech while the user speaks.
        public var endpointing = SherpaOnnxConfiguration.Endpointing()
        /// The number of samples in a second that the realtime interface takes.
        public var realtimeSampleRate = 24_000

        /// Creates the default configuration.
        public init() {}
    }

    /// Creates an engine. It connects when a session or ``prepare(_:progress:)`` needs it.
    ///
    /// - Parameters:
    ///   - server: The server, with addresses such as `https://api.openai.com` or `http://host:8000/v1`.
    ///   - locales: The languages that the server's model recognizes.
    ///   - configure: Changes the default configuration.
    /// - Throws: `DictationError` with the code `invalidInput` for an address of another kind.
    public init(
        _ server: RemoteServer, locales: [SpeechLocale], configure: (inout Configuration) -> Void = { _ in }
    ) throws(DictationError) {
        var configuration = Configuration()
        configure(&configuration)
        self.server = server
        self.configuration = configuration
        self.locales = locales
        let dialect = configuration.dialect
        switch configuration.interface {
        case .requests:
            let server = try OpenAIPieces(server, configuration)
            var features: Set<EngineCapabilities.Feature> = [.dictation]
            if dialect.streams {
                features.insert(.volatileResults)
            } else if dialect.hasWordTimes, dialect.timedFormat != nil {
                features.insert(.wordTimes)
            }
            capabilities = EngineCapabilities(features)
            requests = PieceSessions(
                name: .openAI, capabilities, locales: locales, configuration.endpointing, server,
                limit: dialect.maximumRequests)
            (pieces, streams) = (server, nil)
        case .realtime:
            let format = AudioFormat(sampleRate: configuration.realtimeSampleRate)
            let (token, used) = (server.token, configuration)
            let links = try RemoteLinks(server, ports: ["http": 80, "https": 443, "ws": 80, "wss": 443]) {
                address, options in
                var address = address
                if ["/", "/v1", "/v1/"].contains(address.path) {
                    address.path = "/v1/realtime?intent=transcription"
                }
                return WebSocketConversation(
                    OpenAIRealtimeDialect(used, options, format: format, of: address.text), with: address,
                    token: token)
            }
            capabilities = EngineCapabilities([.dictation, .volatileResults])
            streams = try RemoteSessions(name: .openAI, capabilities, locales: locales, format: format, links)
            (pieces, requests) = (nil, nil)
        }
    }

    /// The locales that the engine was told.
    public var supportedLocales: [SpeechLocale] { get async { locales } }

    /// Returns the engine's audio format: mono and 16-bit, at 16 kHz or at the rate of the realtime interface.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        try await check(options)
        return streams?.format ?? .speech
    }

    /// Asks the server for its models. Returns none if it has no list.
    public func models() async throws(DictationError) -> [RemoteModel] { try await pieces?.models() ?? [] }

    /// Connects ahead, and checks the token.
    ///
    /// - Throws: `DictationError` also with the codes `serverUnavailable` and `serverRefused`.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        try await check(options)
        _ = try await pieces?.models()
        try await streams?.prepare(options)
        progress(1)
    }

    /// Creates a session.
    ///
    /// - Throws: `DictationError` also with the codes `serverUnavailable` and `serverRefused`.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        try await check(options)
        if let streams { return try await streams.makeSession(options) }
        if let requests { return try await requests.makeSession(options) }
        throw DictationError(.notBuilt, "The engine has no interface.")
    }

    /// Transcribes a recording with `workers` requests at once. The realtime interface does it in one session.
    public func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        try await check(options)
        guard let requests else {
            return try await transcribeInOneSession(input, options: options, into: results)
        }
        try await requests.transcribe(input, options: options, workers: workers, into: results)
    }
}
#endif
