#if Remote
import DictationCore
import DictationTesting
import TestSupport
import Testing

@testable import DictationMessages
@testable import DictationRemote

private func engine(
    _ servers: LoopbackServer..., change: (inout RemoteServer) -> Void = { _ in }
) throws -> RemoteEngine {
    var server = RemoteServer(addresses: servers.map { "ws://127.0.0.1:\($0.port)" })
    server.backOff = BackOff(first: .milliseconds(1), longest: .milliseconds(20))
    server.responseTimeout = .seconds(5)
    change(&server)
    return try RemoteEngine(.sherpa, server, locales: ["en-US"])
}

@Suite struct SherpaServerTests {
    @Test func textIsShownAndBecomesFinal() async throws {
        let server = try FakeSherpaServer().start()
        let heard = await hear(CodedSpeech.buffers(words: 0..<7), with: try engine(server))
        #expect(heard.error == nil)
        #expect(heard.finals.map(\.text) == ["w0 w1 w2", "w3 w4 w5", "w6"])
        #expect(heard.volatileCount >= 1 && heard.interruptions.isEmpty)
        #expect(server.connections == 1)
    }

    @Test func wordsHaveTheTimesOfTheAudioAlsoAfterAGap() async throws {
        let server = try FakeSherpaServer().start()
        var options = RecognitionOptions.liveDictation()
        options.wordTimes = true
        let later = CodedSpeech.buffers(words: 4..<6, from: .seconds(60))
        let heard = await hear(CodedSpeech.buffers(words: 0..<4) + later, with: try engine(server), options)
        let starts = heard.finals.flatMap(\.words).map { $0.range?.lowerBound }
        #expect(starts == [0, 400, 800, 1_200, 60_000, 60_400].map { .milliseconds($0) })
        #expect(heard.text == CodedSpeech.text(0..<6))
        // Both stretches went over the same connection.
        #expect(server.connections == 1)
    }

    @Test func theLastTextMayComeAfterDone() async throws {
        let server = try FakeSherpaServer(isDoneEarly: true).start()
        let buffers = CodedSpeech.buffers(words: 0..<4) + CodedSpeech.buffers(words: 4..<9, from: .seconds(20))
        let heard = await hear(buffers, with: try engine(server))
        #expect(heard.text == CodedSpeech.text(0..<9) && heard.error == nil && heard.interruptions.isEmpty)
    }
}

@Suite(.serialized) struct SherpaServerConformanceProofTests {
    @Test func itConforms() async throws {
        let server = try FakeSherpaServer().start()
        let failing = try FakeSherpaServer(change: { _, _ in [.text("{")] }).start()
        let stalling = try FakeSherpaServer(stallsAt: "w3").start()
        var suite = EngineConformance(
            try engine(server), audio: CodedSpeech.buffers(words: 0..<10),
            failing: try engine(failing) { $0.reconnectTimeout = .milliseconds(50) }, stalling: try engine(stalling))
        suite.shortTimeout = .milliseconds(200)
        let report = try await suite.run()
        #expect(report.conforms, "\(report)")
    }
}
#endif
