import DictationCore
import DictationRemote

/// The options for an engine on a server.
extension Options {
    static let server = Option<String>(
        text: "server", "URL",
        "The address of the server for --engine openai, wyoming, sherpa-server or vosk-server. If several are given, the next takes over when one fails.",
        isRepeatable: true)
    static let serverModel = Option<String>(
        text: "server-model", "NAME", "The name of the server's model, for openai and wyoming.")
    static let dialect = Option<DialectName>(
        oneOf: "dialect", "NAME",
        "The server behind the OpenAI interface: openai, speaches, localai, vllm, whisper-server or nim. Default: what it shows, or openai."
    )
    static let realtime = Flag("realtime", "Stream the audio to a server with the OpenAI interface as it comes.")
    static let serverTokenVariable = Option<String>(
        text: "token-variable", "NAME", "The environment variable with the server's token.")
    static let serverTokenFile = Option<String>(
        text: "token-file", "FILE", "The file whose first line is the server's token.", completion: .files)
    static let serverTokenCommand = Option<String>(
        text: "token-command", "COMMAND", "The command that writes the server's token. The shell runs it.")
    static let authorities = Option<String>(
        text: "authorities", "FILE", "Trust the certificates in this PEM file instead of the system's.",
        completion: .files)

    static let remote: [OptionSpec] = [
        server.spec, serverModel.spec, dialect.spec, serverTokenVariable.spec, serverTokenFile.spec,
        serverTokenCommand.spec,
        authorities.spec,
    ]
    static let remoteFlags = [realtime]
}

/// The dialects that `--dialect` can name.
enum DialectName: String, Sendable, CaseIterable {
    case openAI = "openai"
    case speaches
    case localAI = "localai"
    case vLLM = "vllm"
    case whisperServer = "whisper-server"
    case nim

    fileprivate var dialect: OpenAIDialect { OpenAIDialect.all.first { $0.name == rawValue } ?? .openAI }
}

extension RemoteEngine.Configuration {
    /// Reads the engine on a server from the command line; `nil` for an engine on this machine.
    ///
    /// - Parameter notices: Receives what the user should know about the server.
    init?(
        _ invocation: Invocation, _ engine: EngineName?, locale: SpeechLocale, notices: inout [String]
    ) async throws {
        let addresses = try invocation.values(Options.server)
        guard let kind = engine.flatMap({ RemoteEngine.Kind(rawValue: $0.rawValue) }) else {
            guard addresses.isEmpty else {
                let kinds = RemoteEngine.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("--server needs --engine with one of \(kinds).", command: invocation.path)
            }
            for option in Options.remote + Options.remoteFlags.map(\.spec) where invocation.isGiven(option) {
                throw UsageError("--\(option.name) needs --server.", command: invocation.path)
            }
            return nil
        }
        guard !addresses.isEmpty else {
            throw UsageError("--engine \(kind.rawValue) needs --server.", command: invocation.path)
        }
        self.init(kind, server: RemoteServer(addresses: addresses), locales: [locale])
        server.authorities = try invocation.value(Options.authorities)
        server.token = try Self.token(invocation, notices: &notices)
        model = try invocation.value(Options.serverModel)
        isRealtime = invocation.has(Options.realtime)
        dialect = try invocation.value(Options.dialect)?.dialect
        if let notice = await findDialect() { notices.append(notice + " Choose one with --server-model.") }
    }

    private static func token(_ invocation: Invocation, notices: inout [String]) throws -> SecretText? {
        let source = try SecretText.Source(
            invocation, Options.serverTokenVariable, file: Options.serverTokenFile,
            command: Options.serverTokenCommand)
        source?.warning.map { notices.append($0) }
        return try source.map { source throws(DictationError) in try SecretText(from: source) }
    }
}
