#if Remote
public import DictationCore
import DictationEngines

/// Speech recognition by a server on this or another machine.
///
/// ```swift
/// let engine = try RemoteEngine(.wyoming, server: RemoteServer("tcp://127.0.0.1:10300"), locales: ["en-US"])
/// ```
///
/// The kinds of servers differ in what they can do: see ``Kind``. Most do not tell their languages, so the engine has to be
/// told. If a connection is lost, the audio that is not final is sent again.
public final class RemoteEngine: SpeechEngine, ParallelTranscribing {
    /// The configuration.
    public let configuration: Configuration
    /// What the server can do, as far as the configuration tells.
    public let capabilities: EngineCapabilities
    private let work: any ServerWork

    /// Creates an engine. It connects when a session or ``prepare(_:progress:)`` needs it.
    ///
    /// - Parameters:
    ///   - kind: The kind of the server.
    ///   - server: The server.
    ///   - locales: The languages that the server's model recognizes.
    /// - Throws: `DictationError` with the code `invalidInput` for an address of another kind.
    public convenience init(_ kind: Kind, server: RemoteServer, locales: [SpeechLocale]) throws(DictationError) {
        try self.init(Configuration(kind, server: server, locales: locales))
    }

    /// Creates an engine. It connects when a session or ``prepare(_:progress:)`` needs it.
    ///
    /// - Throws: `DictationError` with the code `invalidInput` for an address of another kind, `unsupportedFormat` for a
    ///   sample rate that audio can't have, and `unsupportedOption` for a realtime interface that the engine doesn't speak.
    public init(_ configuration: Configuration) throws(DictationError) {
        self.configuration = configuration
        let dialect = configuration.dialect
        switch configuration.kind {
        case .openAI where configuration.isRealtime:
            capabilities = EngineCapabilities([.dictation, .volatileResults])
            work = try StreamWork.realtime(configuration)
        case .openAI:
            capabilities = EngineCapabilities((dialect?.features ?? []).union([.dictation]))
            work = PieceWork(
                configuration.endpointing, try OpenAIPieces(configuration.openAI), limit: dialect?.maximumRequests)
        case .wyoming:
            capabilities = EngineCapabilities([.dictation])
            work = PieceWork(
                configuration.endpointing, try WyomingPieces(configuration.server, model: configuration.model))
        case .sherpa:
            capabilities = EngineCapabilities([.dictation, .volatileResults, .wordTimes])
            work = try StreamWork.sherpa(configuration)
        case .vosk:
            capabilities = EngineCapabilities([.dictation, .volatileResults, .wordTimes, .wordConfidence])
            work = try StreamWork.vosk(configuration)
        }
    }

    /// The kind of the server.
    public var name: String { configuration.kind.rawValue }
    /// The server.
    public var server: RemoteServer { configuration.server }
    /// The locales that the engine was told.
    public var supportedLocales: [SpeechLocale] { get async { configuration.locales } }

    /// Returns the engine's audio format: mono and 16-bit, at 16 kHz or at the rate that the server expects.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        try await check(options)
        return work.format
    }

    /// Asks the server for its models. Returns none if it has no list.
    public func models() async throws(DictationError) -> [RemoteModel] { try await work.models() }

    /// Connects ahead, and checks the token.
    ///
    /// - Throws: `DictationError` also with the codes `serverUnavailable`, `serverRefused` and `serverAnswerInvalid`.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        try await check(options)
        try await work.prepare(options)
        progress(1)
    }

    /// Creates a session.
    ///
    /// - Throws: `DictationError` also with the codes `serverUnavailable` and `serverRefused`.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        try await check(options)
        return try await work.makeSession(options, named: name)
    }

    /// Transcribes a recording with `workers` requests or connections at once. A server that gets the audio as it comes does
    /// it in one session.
    public func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        try await check(options)
        guard let pieces = work as? PieceWork else {
            return try await transcribeInOneSession(input, options: options, into: results)
        }
        try await pieces.transcribe(input, options: options, workers: workers, into: results)
    }

    private func check(_ options: RecognitionOptions) async throws(DictationError) {
        try capabilities.validate(options, engine: name)
        try await validate(options.locale)
    }
}

extension OpenAIDialect {
    /// What an engine with requests promises besides dictation.
    fileprivate var features: Set<EngineCapabilities.Feature> {
        if streams { return [.volatileResults] }
        return hasWordTimes && timedFormat != nil ? [.wordTimes] : []
    }
}
#else
public import DictationCore

/// Speech recognition by a server on this or another machine. This build leaves it out.
@available(*, unavailable, message: "Enable the “Remote” trait of swift-dictation.")
public final class RemoteEngine: SpeechEngine {
    /// The kinds of servers.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A server with the OpenAI interface.
        case openAI = "openai"
        /// A Wyoming server.
        case wyoming
        /// sherpa-onnx's streaming server.
        case sherpa = "sherpa-server"
        /// The Vosk server.
        case vosk = "vosk-server"
    }

    /// Unavailable in this build.
    public init(_ kind: Kind, server: RemoteServer, locales: [SpeechLocale]) throws(DictationError) {}

    // The protocol's requirements are here, so that every use of the type is an error that names the trait.
    /// Unavailable in this build.
    public var name: String { "" }
    /// Unavailable in this build.
    public var capabilities: EngineCapabilities { EngineCapabilities() }
    /// Unavailable in this build.
    public var supportedLocales: [SpeechLocale] { get async { [] } }
    /// Unavailable in this build.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }
    /// Unavailable in this build.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        throw .notBuilt("Remote")
    }
}
#endif
