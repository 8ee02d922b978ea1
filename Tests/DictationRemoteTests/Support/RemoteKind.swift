#if Remote
import DictationCore
import DictationMessages

@testable import DictationRemote

/// The engines of the module, each with an honest server that recognizes ``CodedSpeech``.
enum RemoteKind: String, CaseIterable, Sendable {
    case requests, realtime, wyoming, sherpa, vosk

    /// Those whose server speaks through a websocket.
    static let sockets = [realtime, sherpa, vosk]

    var scheme: String {
        switch self {
        case .requests: "http"
        case .wyoming: "tcp"
        case .realtime, .sherpa, .vosk: "ws"
        }
    }

    /// The options of a session that a busy machine does not end early.
    var options: RecognitionOptions {
        var options = Self.sockets.contains(self) ? RecognitionOptions.liveDictation() : RecognitionOptions()
        options.finalizationTimeout = .seconds(120)
        return options
    }

    /// Starts an honest server, unless its connections are prepared to misbehave.
    func startServer(
        prepare: @escaping @Sendable (_ peer: Peer, _ connection: Int) -> Void = { _, _ in }
    ) throws -> LoopbackServer {
        switch self {
        case .requests: try FakeOpenAIServer(prepare: prepare) { .init(body: #"{"text":"\#($0.text)"}"#) }.start()
        case .realtime: try FakeRealtimeServer(prepare: prepare).start()
        case .wyoming: try FakeWyomingServer(prepare: prepare).start()
        case .sherpa: try FakeSherpaServer(prepare: prepare).start()
        case .vosk: try FakeVoskServer(prepare: prepare).start()
        }
    }

    /// Starts a server that sends other messages than the honest one.
    func startLiar(
        change: @escaping @Sendable (_ text: String, _ connection: Int) -> [WebSocketMessage]
    ) throws -> LoopbackServer {
        switch self {
        case .realtime: try FakeRealtimeServer(change: change).start()
        case .sherpa: try FakeSherpaServer(change: change).start()
        case .vosk: try FakeVoskServer(change: change).start()
        case .requests, .wyoming: preconditionFailure("This server has no websocket.")
        }
    }

    /// Creates an engine for servers on loopback.
    func engine(_ ports: UInt16..., change: (inout RemoteServer) -> Void = { _ in }) throws -> any SpeechEngine {
        var server = RemoteServer(addresses: ports.map { "\(scheme)://127.0.0.1:\($0)" })
        server.backOff = BackOff(first: .milliseconds(1), longest: .milliseconds(20))
        server.proxy = ""
        change(&server)
        return switch self {
        case .requests: try RemoteEngine(.openAI, server, locales: ["en-US"])
        case .realtime:
            try RemoteEngine(.openAI, server, locales: ["en-US"]) { ($0.isRealtime, $0.sampleRate) = (true, 16_000) }
        case .wyoming: try RemoteEngine(.wyoming, server, locales: ["en-US"])
        case .sherpa: try RemoteEngine(.sherpa, server, locales: ["en-US"])
        case .vosk: try RemoteEngine(.vosk, server, locales: ["en-US"])
        }
    }
}

extension RemoteEngine {
    convenience init(
        _ kind: Kind, _ server: RemoteServer, locales: [SpeechLocale] = ["en-US"],
        configure: (inout Configuration) -> Void = { _ in }
    ) throws(DictationError) {
        var configuration = Configuration(kind, server: server, locales: locales)
        configure(&configuration)
        try self.init(configuration)
    }
}

extension OpenAISettings {
    /// A server that is never asked.
    static let any = OpenAISettings(server: RemoteServer(""))
}

extension RemoteServer {
    /// Makes sessions give up soon.
    mutating func giveUpSoon() {
        connectTimeout = .milliseconds(300)
        responseTimeout = .milliseconds(300)
        recognitionTimeout = .milliseconds(300)
        tryAgainBriefly()
    }

    /// Makes sessions that got a wrong answer give up soon. They wait for an answer, because a busy machine may need long.
    mutating func tryAgainBriefly() { reconnectTimeout = .milliseconds(300) }
}
#endif
