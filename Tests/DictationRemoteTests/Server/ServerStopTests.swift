#if Remote || Server
import DictationCore
import DictationEngines
import DictationText
import TestSupport
import Testing

@testable import DictationRemote

/// A stop lets each client finish its utterance, and waits for no other.
@Suite(.timeLimit(.minutes(4))) struct ServerStopTests {
    private static let commit = #"{"type":"input_audio_buffer.commit"}"#
    private static let settings = """
        {"type":"session.update","session":{"type":"transcription","audio":{"input":{
        "format":{"type":"audio/pcm","rate":24000},"turn_detection":null}}}}
        """

    private func open(_ running: ServerProgram, audio: Duration) async throws -> RealtimeClient {
        let client = try await RealtimeClient(port: running.server.httpPort)
        #expect(await client.event("session.created") != nil)
        await client.send(Self.settings)
        #expect(await client.event("session.updated") != nil)
        if audio > .zero { await client.sendAudio(audio) }
        return client
    }

    private func expectText(_ client: RealtimeClient) async {
        await client.send(Self.commit)
        #expect(await client.event("transcription.completed")?["transcript"] == .text("one two three four"))
    }

    @Test func nobodyWaitsForIdleClients() async throws {
        let running = try ServerProgram()
        let silent = try await open(running, audio: .zero)
        let idle = try await open(running, audio: .seconds(2))
        await expectText(idle)
        let runtime = DictationRuntime.system
        let start = runtime.now()
        await running.server.stop(within: .seconds(120))
        #expect(runtime.now() - start < .seconds(60))
        for client in [silent, idle] { #expect(await client.next() == .close(code: 1_001, reason: "")) }
    }

    @Test func anUtteranceIsFinished() async throws {
        let running = try ServerProgram()
        let client = try await open(running, audio: .seconds(2))
        #expect(await eventually { running.server.streamCount == 1 })
        let runtime = DictationRuntime.system
        let start = runtime.now()
        let stop = Task { await running.server.stop(within: .seconds(120)) }
        while try await running.curl("/ready").status == 200 { try await runtime.sleep(.milliseconds(20)) }
        await expectText(client)
        #expect(await client.next() == .close(code: 1_001, reason: ""))
        await stop.value
        #expect(runtime.now() - start < .seconds(60))
    }
}
#endif
