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
        /// The name of the server's model; `nil` for the usual one, which is ``OpenAIDialect/usualModel``.
        public var model: String?
        /// How the server deviates from the original. With `nil`, the engine asks the server for it before the first
        /// request, and promises neither the times of words nor text before it is final.
        public var dialect: OpenAIDialect? = .openAI
        /// The interface.
        public var interface = Interface.requests
        /// A text that tells the model about style and names; `nil` for none.
        public var prompt: String?
        /// The pauses that end a stretch of speech while the user speaks.
        public var endpointing = SherpaOnnxConfiguration.Endpointing()
        /// The number of samples in a second that the realtime interface takes; `nil` for what the dialect says.
        public var realtimeSampleRate: Int?

        /// Creates the default configuration.
        public init() {}
    }

    /// Creates an engine. It connects when a session or ``prepare(_:progress:)`` needs it.
    ///
    /// - Parameters:
    ///   - server: The server, with addresses such as `https://api.openai.com` or `http://host:8000/v1`.
    ///   - locales: The languages that the server's model recognizes.
    ///   - configure: Changes the default configuration.
    /// - Throws: `DictationError` with the code `invalidInput` for an address of another kind, and `unsupportedOption`
    ///   for a realtime interface that the engine doesn't speak.
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
            capabilities = EngineCapabilities((dialect?.features ?? []).union([.dictation]))
            requests = PieceSessions(
                name: .openAI, capabilities, locales: locales, configuration.endpointing, server,
                limit: dialect?.maximumRequests)
            (pieces, streams) = (server, nil)
        case .realtime:
            let dialect = dialect ?? .openAI
            guard let realtime = dialect.realtime else {
                throw DictationError(
                    .unsupportedOption, "There is no realtime interface for the dialect “\(dialect.name)”.",
                    recovery: "Use the interface with requests.")
            }
            guard configuration.model ?? dialect.usualModel != nil else {
                throw DictationError(
                    .invalidInput,
                    "The realtime interface of the dialect “\(dialect.name)” needs the name of the model.",
                    recovery: "Give the name that the server lists.")
            }
            let format = AudioFormat(sampleRate: configuration.realtimeSampleRate ?? realtime.sampleRate)
            var used = configuration
            used.model = configuration.model ?? dialect.usualModel
            let (token, chosen) = (server.token, used)
            let links = try RemoteLinks(server, ports: OpenAIRealtimeDialect.ports) { address, options in
                let dialect = OpenAIRealtimeDialect(chosen, options, realtime, format: format, of: address.text)
                return WebSocketConversation(dialect, with: dialect.address(on: address), token: token)
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

extension OpenAIDialect {
    /// What an engine with requests promises besides dictation.
    fileprivate var features: Set<EngineCapabilities.Feature> {
        if streams { return [.volatileResults] }
        return hasWordTimes && timedFormat != nil ? [.wordTimes] : []
    }
}
#endif
