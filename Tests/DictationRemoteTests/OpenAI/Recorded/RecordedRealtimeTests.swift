#if Remote
import DictationCore
import TestSupport
import Testing

@testable import DictationMessages
@testable import DictationRemote

/// The engine with the realtime interfaces that deviate from the original.
@Suite struct RecordedRealtimeTests {
    /// Three utterances with long pauses between them.
    private static let buffers: [AudioBuffer] = (0..<3).flatMap { (take: Int) -> [AudioBuffer] in
        let start = Duration.seconds(4 * take)
        let speech = CodedSpeech.buffers(words: 3 * take..<3 * take + 3, from: start)
        return speech + [AudioBuffer(silence: 44_800, format: .speech, start: start + .milliseconds(1_200))]
    }
    private static let texts: [String] = (0..<3).map { CodedSpeech.text(3 * $0..<3 * $0 + 3) }

    private func engine(
        _ port: UInt16, _ dialect: OpenAIDialect, model: String? = "some model"
    ) throws -> RemoteEngine {
        var remote = RemoteServer("ws://127.0.0.1:\(port)")
        (remote.proxy, remote.backOff) = ("", BackOff(first: .milliseconds(1), longest: .milliseconds(20)))
        return try RemoteEngine(.openAI, remote, locales: ["en-US"]) {
            ($0.isRealtime, $0.dialect, $0.model) = (true, dialect, model)
            $0.sampleRate = 16_000
        }
    }

    @Test(arguments: RecordedRealtimeServer.allCases) func utterancesComeInOrder(_ recorded: RecordedRealtimeServer)
        async throws
    {
        let server = try recorded.start()
        let heard = await hear(Self.buffers, with: try engine(server.port, recorded.dialect))
        #expect(heard.finals.map(\.text) == Self.texts && heard.error == nil, "\(heard)")
        #expect(heard.interruptions.isEmpty && server.connections == 1, "\(heard)")
        // Only vLLM tells text before the end of an utterance.
        #expect((heard.volatileCount > 0) == (recorded == .vLLM))
    }

    @Test(arguments: RecordedRealtimeServer.allCases) func aModelThatTheServerDoesNotHaveIsAClearError(
        _ recorded: RecordedRealtimeServer
    ) async throws {
        let server = try recorded.start()
        let heard = await hear(Self.buffers, with: try engine(server.port, recorded.dialect, model: "other"))
        #expect(heard.error?.code == .serverRefused && heard.finals.isEmpty, "\(heard)")
    }

    @Test(arguments: RecordedRealtimeServer.allCases) func theFormOfTheOriginalGivesNoText(
        _ recorded: RecordedRealtimeServer
    ) async throws {
        let server = try recorded.start()
        let heard = await hear(Self.buffers, with: try engine(server.port, .openAI))
        #expect(heard.error != nil && heard.finals.isEmpty, "\(heard)")
    }

    @Test func tooLittleAudioForSpeachesIsNoError() async throws {
        let server = try RecordedRealtimeServer.speaches.start()
        let heard = await hear(
            [AudioBuffer(silence: 160, format: .speech)], with: try engine(server.port, .speaches))
        #expect(heard.finals.isEmpty && heard.error == nil && heard.interruptions.isEmpty, "\(heard)")
    }

    @Test(arguments: [OpenAIDialect.whisperServer, .nim]) func whereThereIsNoSuchInterfaceTheEngineSaysSo(
        _ dialect: OpenAIDialect
    ) async {
        let thrown = await error { _ = try engine(1, dialect) }
        #expect(thrown?.code == .unsupportedOption && thrown?.recovery != nil)
        let unnamed = await error { _ = try engine(1, .vLLM, model: nil) }
        #expect(unnamed?.code == .invalidInput && unnamed?.recovery != nil)
    }

    /// What a server that takes one item after the other gets, and when.
    @Test(arguments: [OpenAIDialect.localAI, .vLLM]) func aSerialServerGetsNothingWhileItIsBusy(
        _ dialect: OpenAIDialect
    )
        throws
    {
        let realtime = try #require(dialect.realtime)
        var conversation = OpenAIRealtimeDialect(
            .any, .liveDictation(), realtime, format: .speech, of: "ws://example.org")
        func audio(at second: Int) -> AudioBuffer {
            AudioBuffer(silence: 1_600, format: .speech, start: .seconds(second))
        }
        let begin = realtime.form == .plain ? 1 : 0
        #expect(conversation.send(audio(at: 0)).count == 1 + begin)
        #expect(conversation.finalize().count == 1)
        #expect(conversation.send(audio(at: 5)).isEmpty && conversation.finalize().isEmpty)
        #expect(conversation.answers().isEmpty)
        let done =
            realtime.form == .plain
            ? #"{"type":"transcription.done","text":"go on","usage":null}"#
            : FakeRealtimeServer.event("completed", 7, #""transcript":"go on""#)
        let events = try conversation.receive(.text(done))
        #expect(events.first == .update(.final(SpeechResult(range: .zero ..< .milliseconds(100), text: "go on"))))
        #expect(!events.contains(.finished(canGoOn: true)), "The second item is not recognized yet.")
        #expect(conversation.answers().count == 2 + begin)
        let last = try conversation.receive(.text(done))
        #expect(last.last == .finished(canGoOn: true) && conversation.answers().isEmpty)
    }

    @Test func addressesNameTheModelWhereTheServerNeedsIt() throws {
        var configuration = OpenAISettings.any
        configuration.model = "Systran/faster-whisper tiny&é"
        func path(_ dialect: OpenAIDialect, _ address: String) throws -> String {
            let address = try RemoteAddress(address, ports: OpenAIRealtimeDialect.ports)
            let realtime = try #require(dialect.realtime)
            return OpenAIRealtimeDialect(
                configuration, .liveDictation(), realtime, format: .speech, of: address.text
            ).address(on: address).path
        }
        let named = "/v1/realtime?intent=transcription&model=Systran/faster-whisper%20tiny%26%C3%A9"
        #expect(try path(.openAI, "wss://example.org") == "/v1/realtime?intent=transcription")
        #expect(try path(.speaches, "http://example.org/v1") == named)
        #expect(try path(.localAI, "ws://example.org/v1/") == named)
        #expect(try path(.vLLM, "ws://example.org") == "/v1/realtime")
        #expect(try path(.vLLM, "ws://example.org/own?x=1") == "/own?x=1")
    }
}
#endif
