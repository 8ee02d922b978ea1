import DictationCore
import DictationRemote
import DictationServer

extension Options {
    static let serveAddress = Option<String>(
        text: "address", "ADDRESS",
        "The address to serve at: 127.0.0.1 for this machine alone, which is the default, or 0.0.0.0 for every network."
    )
    static let servePort = Option<Int>(
        number: "port", "PORT", "The port of the OpenAI-compatible interface. Default: 8000. 0 is any free one.",
        in: 0...65_535)
    static let wyoming = Option<Int>(
        number: "wyoming", "PORT", "Also serve Wyoming at this port, usually 10300. 0 is any free one.", in: 0...65_535)
    static let wyomingSocket = Option<String>(
        text: "wyoming-socket", "PATH", "Also serve Wyoming at this unix socket, for programs of yours.",
        completion: .files)
    static let wyomingOpen = Flag(
        "wyoming-open", "Serve Wyoming at --address too, for everyone on the network: the protocol has no token.")
    static let names = Option<String>(
        text: "name", "NAME", "The name of the model for clients. More of them are other names for it.",
        isRepeatable: true)
    static let exactNames = Flag(
        "exact-names", "Refuse the names of OpenAI's models, such as whisper-1, unless --name gives them.")
    static let tokenVariable = Option<String>(
        text: "token-variable", "NAME", "Ask clients for the token in this environment variable.")
    static let tokenFile = Option<String>(
        text: "token-file", "FILE", "Ask clients for the token in the first line of this file.", completion: .files)
    static let tokenCommand = Option<String>(
        text: "token-command", "COMMAND", "Ask clients for the token that this command writes, run by sh.")
    static let certificate = Option<String>(
        text: "certificate", "FILE", "Encrypt with this certificate, and those above it, in the format PEM.",
        completion: .files)
    static let certificateKey = Option<String>(
        text: "certificate-key", "FILE", "The key of --certificate, in the format PEM.", completion: .files)
    static let behindProxy = Flag("behind-proxy", "Take the addresses of clients from X-Forwarded-For.")
    static let recordings = Option<Int>(
        number: "recordings", "N", "Transcribe up to N recordings at once. Default: one on each core.", in: 1...1_024)
    static let streams = Option<Int>(
        number: "streams", "N", "Serve up to N live streams at once. Default: 64.", in: 1...4_096)
    static let perClient = Option<Int>(
        number: "per-client", "N", "Let each client have up to N recordings and N streams at once. Default: 32.",
        in: 1...4_096)
    static let stopTime = Option<Duration>(
        seconds: "stop-time", "SECONDS", "How long requests may go on after Ctrl-C or SIGTERM. Default: 30.")
    static let logText = Flag("log-text", "Write recognized texts to the log too.")

    static let serving: [OptionSpec] = [
        engine.spec, locale.spec, model.spec, script.spec, names.spec, serveAddress.spec, servePort.spec, wyoming.spec,
        wyomingSocket.spec,
        tokenVariable.spec, tokenFile.spec, tokenCommand.spec, certificate.spec, certificateKey.spec, recordings.spec,
        streams.spec, perClient.spec, stopTime.spec,
    ]
    static let servingFlags = [wyomingOpen, exactNames, behindProxy, logText, inProcess, quiet]
}

extension DictationServer.Configuration {
    /// Reads the command line.
    ///
    /// - Parameter complain: Tells what the user should know about the files that the server uses.
    init(_ invocation: Invocation, complain: (String) -> Void) throws {
        self.init()
        let address = try invocation.value(Options.serveAddress) ?? "127.0.0.1"
        http = Place(address: address, port: UInt16(try invocation.value(Options.servePort) ?? 8_000))
        allowsOpenWyoming = invocation.has(Options.wyomingOpen)
        wyoming = try invocation.value(Options.wyoming).map {
            Place(address: allowsOpenWyoming ? address : "127.0.0.1", port: UInt16($0))
        }
        takesOpenAINames = !invocation.has(Options.exactNames)
        wyomingSocket = try invocation.value(Options.wyomingSocket)
        token = try Self.token(invocation, complain: complain)
        certificateFile = try invocation.value(Options.certificate)
        keyFile = try invocation.value(Options.certificateKey)
        keyFile.flatMap { SecretText.Source.file($0).warning }.map(complain)
        isBehindProxy = invocation.has(Options.behindProxy)
        logsTexts = invocation.has(Options.logText)
        limits.recordings = try invocation.value(Options.recordings) ?? limits.recordings
        limits.streams = try invocation.value(Options.streams) ?? limits.streams
        limits.perClient = try invocation.value(Options.perClient) ?? limits.perClient
    }

    private static func token(_ invocation: Invocation, complain: (String) -> Void) throws -> SecretText? {
        let source = try SecretText.Source(
            invocation, Options.tokenVariable, file: Options.tokenFile, command: Options.tokenCommand)
        source?.warning.map(complain)
        return try source.map { source throws(DictationError) in try SecretText(from: source) }
    }
}

extension SecretText.Source {
    /// Reads where the command line says that a token is; `nil` if it says nothing.
    init?(
        _ invocation: Invocation, _ variable: Option<String>, file: Option<String>, command: Option<String>
    ) throws {
        let sources = [
            try invocation.value(variable).map { SecretText.Source.environment($0) },
            try invocation.value(file).map { .file($0) },
            try invocation.value(command).map { .command(["sh", "-c", $0]) },
        ].compactMap(\.self)
        guard sources.count < 2 else {
            throw UsageError("Name one place of the token, not several.", command: invocation.path)
        }
        guard let source = sources.first else { return nil }
        self = source
    }
}
