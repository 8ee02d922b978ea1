#if Remote
public import DictationCore
public import DictationEngines
import Synchronization

/// Speech recognition by a server of the Wyoming protocol, as homes with Home Assistant have it.
///
/// ```swift
/// let engine = try WyomingEngine(RemoteServer("tcp://127.0.0.1:10300"), locales: ["en-US"])
/// ```
///
/// A server recognizes one stretch of speech after another, so the engine cuts speech at pauses. Several stretches can
/// be on their way at once. The protocol knows no times of words and no confidence, and no token either: keep it in a
/// network that you trust.
public final class WyomingEngine: SpeechEngine, ParallelTranscribing, ModelListing {
    /// The engine's name.
    public var name: String { sessions.name }
    /// The engine's capabilities: dictation. Text is shown when it is final.
    public var capabilities: EngineCapabilities { sessions.capabilities }
    /// The server.
    public var server: RemoteServer { pieces.links.server }
    /// The configuration.
    public let configuration: Configuration
    private let sessions: PieceSessions
    private let pieces: WyomingPieces

    /// The configuration of a ``WyomingEngine``.
    public struct Configuration: Sendable, Hashable {
        /// The name of the server's model; `nil` for its default.
        public var model: String?
        /// The pauses that end a stretch of speech while the user speaks.
        public var endpointing = SherpaOnnxConfiguration.Endpointing()

        /// Creates the default configuration.
        public init() {}
    }

    /// Creates an engine. It connects when a session or ``prepare(_:progress:)`` needs it.
    ///
    /// - Parameters:
    ///   - server: The server, with addresses such as `tcp://host:10300` or `unix:/run/wyoming.sock`.
    ///   - locales: The languages that the server's model recognizes.
    ///   - configuration: The configuration.
    /// - Throws: `DictationError` with the code `invalidInput` for an address of another kind.
    public init(
        _ server: RemoteServer, locales: [SpeechLocale], configuration: Configuration = .init()
    ) throws(DictationError) {
        self.configuration = configuration
        let links = try RemoteLinks(server, ports: ["tcp": 10_300, "tls": 10_300, "unix": 0]) { address, options in
            WyomingConversation(
                with: address.text, language: options.locale.language, service: configuration.model)
        }
        pieces = WyomingPieces(links)
        sessions = PieceSessions(
            name: .wyoming, EngineCapabilities([.dictation]), locales: locales, configuration.endpointing, pieces)
    }

    /// The locales that the engine was told.
    public var supportedLocales: [SpeechLocale] { get async { sessions.locales } }

    /// Returns the engine's audio format: 16 kHz, mono, 16-bit.
    public func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat {
        try await check(options)
        return .speech
    }

    /// Asks the server for its models.
    public func models() async throws(DictationError) -> [RemoteModel] { try await pieces.models() }

    /// Connects ahead, and checks that the server recognizes speech.
    ///
    /// - Throws: `DictationError` also with the codes `serverUnavailable`, `serverRefused` and `serverAnswerInvalid`.
    public func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        try await check(options)
        try await pieces.prepare(options)
        progress(1)
    }

    /// Creates a session. It connects when the first stretch of speech ends.
    public func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        try await check(options)
        return try await sessions.makeSession(options)
    }

    /// Transcribes a recording with `workers` connections at once.
    public func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        try await check(options)
        try await sessions.transcribe(input, options: options, workers: workers, into: results)
    }
}

/// Has pieces recognized by a Wyoming server, each over a connection of its own.
struct WyomingPieces: PieceServer {
    let links: RemoteLinks
    private let runtime = DictationRuntime.current

    init(_ links: RemoteLinks) { self.links = links }

    func prepare(_ options: RecognitionOptions) async throws(DictationError) {
        let links = links
        try await BlockingWork("remote", runtime: runtime).run { () throws(DictationError) in
            do throws(RemoteFailure) { try links.prepare(for: options) } catch { throw error.error }
        }
    }

    func models() async throws(DictationError) -> [RemoteModel] {
        let (links, work) = (links, BlockingWork("remote", runtime: runtime))
        return try await RemoteAttempts(links.server, links.addresses, repeats: false).run(from: 0) {
            address, hasSent throws(RemoteFailure) in
            try await work.attempt(&hasSent) { _ throws(RemoteFailure) in
                let link = try links.open(address, for: RecognitionOptions())
                return (link.conversation as? WyomingConversation)?.info?.models ?? []
            }
        }
    }

    func recognize(
        _ piece: PauseCutter.Piece, _ options: RecognitionOptions, show: @escaping @Sendable (String) -> Void
    ) async throws(DictationError) -> PieceAnswer {
        let audio = AudioBuffer(piece.samples, start: piece.start)
        let (links, work) = (links, BlockingWork("remote", runtime: runtime))
        return try await RemoteAttempts(links.server, links.addresses).run(from: links.nextTurn()) {
            address, hasSent throws(RemoteFailure) in
            try await work.attempt(&hasSent) { hasSent throws(RemoteFailure) in
                var answer = PieceAnswer(text: "")
                try links.exchange(audio, for: options, with: address, hasSent: &hasSent) { update in
                    if let result = update.finalResult { answer.text = result.text }
                }
                return answer
            }
        }
    }
}
#endif
