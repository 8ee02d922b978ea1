#if Remote
public import DictationCore
public import DictationEngines

extension RemoteEngine {
    /// The kinds of servers. Each is the name of its engine.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A server with the OpenAI interface: OpenAI's own, or one of the many that speak it too, at addresses such as
        /// `http://host:8000` or `https://api.openai.com`.
        ///
        /// By default, each stretch of speech is a request, so the engine cuts speech at pauses, and several stretches can be
        /// on their way at once. A stretch that gets lost is sent again, at most once.
        case openAI = "openai"
        /// A server of the Wyoming protocol, as homes with Home Assistant have it, at addresses such as `tcp://host:10300` or
        /// `unix:/run/wyoming.sock`.
        ///
        /// It recognizes one stretch of speech after another. The protocol knows no times of words, no confidence and no
        /// token: keep it in a network that you trust.
        case wyoming
        /// sherpa-onnx's streaming server, `sherpa-onnx-online-websocket-server`, at addresses such as `ws://host:6006`.
        ///
        /// It shows text while the user speaks, tells when each word was said, and ends an utterance by its own settings.
        case sherpa = "sherpa-server"
        /// The websocket server of Vosk, at addresses such as `ws://host:2700`.
        ///
        /// It shows text while the user speaks, and tells the time and the confidence of each word.
        case vosk = "vosk-server"
    }

    /// Which server an engine has, and how it uses it.
    ///
    /// ```swift
    /// var configuration = RemoteEngine.Configuration(
    ///     .openAI, server: RemoteServer("http://127.0.0.1:8000"), locales: ["en-US"])
    /// configuration.dialect = .vLLM
    /// let engine = try RemoteEngine(configuration)
    /// let finder = EngineFinder(options: RecognitionOptions(), candidates: [configuration.candidate])
    /// ```
    public struct Configuration: Sendable, Hashable {
        /// The kind of the server.
        public var kind: Kind
        /// The server.
        public var server: RemoteServer
        /// The languages that the server's model recognizes.
        public var locales: [SpeechLocale]
        /// The name of the server's model, for ``Kind/openAI`` and ``Kind/wyoming``; `nil` for the usual one. With the
        /// ``dialect`` unknown too, the engine asks the server, and takes the first model of a list without the usual one.
        public var model: String?
        /// How a server with the OpenAI interface deviates from the original. With `nil`, the engine asks the server for it
        /// before the first request, and promises neither the times of words nor text before it is final; see
        /// ``findDialect()``.
        public var dialect: OpenAIDialect? = .openAI
        /// Whether a server with the OpenAI interface gets the audio as it comes, through a websocket.
        public var isRealtime = false
        /// A text that tells a model behind the OpenAI interface about style and names; `nil` for none.
        public var prompt: String?
        /// The pauses that end a stretch of speech while the user speaks, for servers that get speech in stretches.
        public var endpointing = RecognitionOptions.Endpointing()
        /// The number of samples in a second that a streaming server expects; `nil` for what its kind usually does.
        public var sampleRate: Int?
        /// The case of the text of ``Kind/sherpa``, if its model writes only capital letters.
        public var textCase: RecognitionOptions.TextCase = .sentence

        /// Creates a configuration.
        public init(_ kind: Kind, server: RemoteServer, locales: [SpeechLocale]) {
            self.kind = kind
            self.server = server
            self.locales = locales
        }
    }
}

extension RemoteEngine.Configuration {
    /// Asks a server with the OpenAI interface what it is and which models it has, unless both are chosen. A server that
    /// doesn't show what it is counts as the original. Set ``dialect`` to `nil` first.
    ///
    /// Without a named model, it is the usual one if the server lists that, or else the first of the list. The engine can
    /// do more if the dialect is known when it is made, such as text before it is final. If the server can't be reached,
    /// nothing is chosen; an engine with requests then asks before its first one.
    ///
    /// - Returns: A sentence for the user if the server has several models and none of them is the usual one; otherwise
    ///   `nil`.
    @discardableResult
    public mutating func findDialect() async -> String? {
        guard kind == .openAI, dialect == nil || needsModel else { return nil }
        let shown: ShownServer
        do throws(DictationError) { shown = try await ShownServer(server) } catch { return nil }
        let dialect = dialect ?? shown.dialect ?? .openAI
        self.dialect = dialect
        guard needsModel else { return nil }
        model = shown.model(usual: dialect.usualModel)
        guard let model, model != dialect.usualModel, shown.models.count > 1 else { return nil }
        let others = shown.models.dropFirst().prefix(5).map { "“\($0.name)”" }.joined(separator: ", ")
        let more = shown.models.count > 6 ? " and \(shown.models.count - 6) more" : ""
        return "The server has several models. This is the first, “\(model)”. The others: \(others)\(more)."
    }

    /// Whether a request has to name a model and the user named none.
    private var needsModel: Bool {
        guard model == nil else { return false }
        return isRealtime || dialect.map { $0.usualModel != nil } ?? true
    }

    /// The engine as a candidate for an `EngineFinder`.
    public var candidate: EngineCandidate {
        EngineCandidate(
            EngineID(rawValue: kind.rawValue),
            models: [
                EngineCandidate.Model(name: server.addresses.first, locales: locales) { () throws(DictationError) in
                    try RemoteEngine(self)
                }
            ])
    }
}
#endif
