#if Remote
import DictationCore
import TestSupport
import Testing

@testable import DictationRemote

/// The engine with servers of other people that have the OpenAI interface and use faster-whisper.
@Suite(.serialized) struct RealOpenAIServerProofTests {
    /// `open-asr-server`, which tells the times of words.
    private static func openASR() throws -> RealWebServer {
        try RealWebServer(
            "open_asr_server:app",
            ["OPEN_ASR_DEFAULT_BACKEND": "faster-whisper", "OPEN_ASR_SERVER_API_KEY": "swordfish"])
    }
    private static let openASRModel = "openai/whisper-" + RealWebServer.model

    /// `faster-whisper-server`, another one than that which became speaches.
    private static func fasterWhisper() throws -> RealWebServer {
        try RealWebServer("faster_whisper_server:app", ["FWS_MODEL_NAME": RealWebServer.model])
    }

    private func engine(
        _ server: RealWebServer, model: String? = Self.openASRModel, token: String? = "swordfish",
        dialect: OpenAIDialect? = .openAI
    ) throws -> RemoteEngine {
        var remote = RemoteServer("http://127.0.0.1:\(server.port)")
        (remote.proxy, remote.token) = ("", token.map { SecretText($0) })
        // These servers take minutes on a busy machine.
        (remote.responseTimeout, remote.recognitionTimeout) = (.seconds(300), .seconds(600))
        return try RemoteEngine(.openAI, remote, locales: ["en-US"]) { ($0.model, $0.dialect) = (model, dialect) }
    }

    private static func plain(_ text: String) -> String {
        String(text.lowercased().filter { $0.isLetter || $0.isWhitespace })
    }

    @Test(arguments: [OpenAIDialect.openAI, .speaches, nil]) func theTextIsThatOfTheSpeech(_ dialect: OpenAIDialect?)
        async throws
    {
        let buffers = try Fixtures.buffers("jfk")
        for server in [try Self.openASR(), try Self.fasterWhisper()] {
            let heard = await hear(buffers, with: try engine(server, dialect: dialect), RecognitionOptions())
            #expect(heard.error == nil, "\(heard)")
            #expect(
                Self.plain(heard.text).contains(
                    "ask not what your country can do for you ask what you can do for your country"),
                "\(heard)")
        }
    }

    @Test func wordsHaveTheTimesOfTheSpeech() async throws {
        let server = try Self.openASR()
        var options = RecognitionOptions()
        options.wordTimes = true
        let heard = await hear(try Fixtures.buffers("jfk"), with: try engine(server), options)
        let words = heard.finals.flatMap(\.words)
        #expect(words.map(\.text).joined(separator: " ") == heard.text && words.count > 15, "\(heard)")
        let times = words.compactMap { $0.range?.lowerBound }
        #expect(times == times.sorted() && times.count == words.count)
        // “Ask” begins after three seconds, and the last word ends before the recording does.
        let ask = words.first { Self.plain($0.text) == "ask" }?.range?.lowerBound
        #expect(ask.map { $0 > .seconds(2) && $0 < .seconds(5) } == true, "\(words)")
        let end = words.last?.range?.upperBound
        #expect(end.map { $0 > .seconds(9) && $0 <= .seconds(11) } == true, "\(words)")
    }

    @Test func itConforms() async throws {
        let server = try Self.openASR()
        try await RealPeerPromises.expectConformance(of: try engine(server), options: RecognitionOptions())
    }

    @Test func manyRequestsAtOnceKeepTheOrder() async throws {
        let server = try Self.openASR()
        try await RealPeerPromises.expectOrder(of: try engine(server))
    }

    @Test func refusalsSayWhatIsWrong() async throws {
        let server = try Self.openASR()
        let buffers = try Fixtures.buffers("mfa-ipa_us_2")
        func failure(_ engine: RemoteEngine) async -> DictationError? {
            await hear(buffers, with: engine, RecognitionOptions()).error
        }
        let wrongToken = await failure(try engine(server, token: "herring"))
        #expect(wrongToken?.code == .serverRefused && wrongToken?.message.contains("Unauthorized") == true)
        let wrongModel = await failure(try engine(server, model: "other"))
        #expect(wrongModel?.message.contains("Model 'other' not found.") == true, "\(String(describing: wrongModel))")
        let noModel = await failure(try engine(server, model: nil, dialect: .whisperServer))
        #expect(noModel?.message.contains("Not Found") == true, "\(String(describing: noModel))")
        // The model is missing in the request.
        var dialect = OpenAIDialect.openAI
        dialect.usualModel = nil
        let unnamed = await failure(try engine(server, model: nil, dialect: dialect))
        #expect(unnamed?.message.contains("model: Field required") == true, "\(String(describing: unnamed))")
    }

    @Test func itTellsItsModels() async throws {
        let server = try Self.openASR()
        #expect(try await engine(server).models().contains { $0.name == "openai/whisper-*" })
        let other = try Self.fasterWhisper()
        #expect(try await engine(other).models().isEmpty, "It has no list.")
    }
}
#endif
