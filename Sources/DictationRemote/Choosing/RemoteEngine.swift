#if Remote
public import DictationCore
public import DictationEngines

/// The choice of an engine on a server, as settings and command lines name it.
///
/// ```swift
/// let choice = RemoteEngine(.wyoming, server: RemoteServer("tcp://127.0.0.1:10300"), locales: ["en-US"])
/// let finder = EngineFinder(options: RecognitionOptions(), candidates: [choice.candidate])
/// ```
public struct RemoteEngine: Sendable, Hashable {
    /// The kind of the server.
    public var kind: Kind
    /// The server.
    public var server: RemoteServer
    /// The languages that the server's model recognizes.
    public var locales: [SpeechLocale]
    /// The name of the server's model, for servers that have several; `nil` for the usual one.
    public var model: String?
    /// How a server with the OpenAI interface deviates from the original; `nil` for what it shows. See ``findDialect()``.
    public var dialect: OpenAIDialect?
    /// The interface of a server with the OpenAI interface.
    public var interface = OpenAIEngine.Interface.requests

    /// The kinds of servers. Each is the name of its engine.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A server with the OpenAI interface.
        case openAI = "openai"
        /// A Wyoming server.
        case wyoming
        /// sherpa-onnx's streaming server.
        case sherpaServer = "sherpa-server"
        /// The Vosk server.
        case voskServer = "vosk-server"
    }

    /// Creates the choice of an engine.
    public init(_ kind: Kind, server: RemoteServer, locales: [SpeechLocale]) {
        self.kind = kind
        self.server = server
        self.locales = locales
    }

    /// Asks a server with the OpenAI interface what it is, unless a dialect is chosen. One that doesn't show it counts as
    /// the original.
    ///
    /// The engine can do more if this is known when it is made, such as text before it is final. If the server can't be
    /// reached, nothing is chosen; an engine with requests then asks before its first one.
    public mutating func findDialect() async {
        guard kind == .openAI, dialect == nil else { return }
        do throws(DictationError) { dialect = try await OpenAIDialect.shown(by: server) ?? .openAI } catch {}
    }

    /// Returns the engine, which has not connected yet.
    ///
    /// - Throws: `DictationError` for an address of another kind of server.
    public func makeEngine() throws(DictationError) -> any SpeechEngine {
        switch kind {
        case .openAI:
            return try OpenAIEngine(server, locales: locales) { configuration in
                configuration.model = model
                configuration.dialect = dialect
                configuration.interface = interface
            }
        case .wyoming:
            var configuration = WyomingEngine.Configuration()
            configuration.model = model
            return try WyomingEngine(server, locales: locales, configuration: configuration)
        case .sherpaServer: return try SherpaServerEngine(server, locales: locales)
        case .voskServer: return try VoskServerEngine(server, locales: locales)
        }
    }

    /// The engine as a candidate for an `EngineFinder`.
    public var candidate: EngineCandidate {
        let name = server.addresses.first
        return EngineCandidate(
            EngineID(rawValue: kind.rawValue),
            models: [EngineModel(name: name, locales: locales) { () throws(DictationError) in try makeEngine() }])
    }
}
#endif
