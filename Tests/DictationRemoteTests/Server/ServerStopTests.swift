#if Remote || Server
import DictationCore
import DictationEngines
import DictationMessages
import DictationText
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// A stop lets each client finish its utterance, and waits for no other.
@Suite(.timeLimit(.minutes(4))) struct ServerStopTests {
    private func open(_ running: ServerProgram, audio: Duration) async throws -> RealtimeClient {
        let client = try await RealtimeClient.open(running)
        await client.send(RealtimeClient.settings)
        #expect(await client.event("session.updated") != nil)
        if audio > .zero { await client.sendAudio(audio) }
        return client
    }

    private func expectText(_ client: RealtimeClient) async {
        await client.send(RealtimeClient.commit)
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

    @Test func whoIsIdleIsTold() async throws {
        let running = try ServerProgram(wyoming: true)
        var clients: [RealtimeClient] = []
        for _ in 0..<8 { clients.append(try await open(running, audio: .zero)) }
        let home = try RawClient(port: running.server.wyomingPort)
        await home.send(WyomingMessage(type: "describe").bytes)
        #expect(await home.receive() != nil)
        let runtime = DictationRuntime.system
        let start = runtime.now()
        await running.server.stop(within: .seconds(120))
        #expect(runtime.now() - start < .seconds(60))
        for client in clients { #expect(await client.next() == .close(code: 1_001, reason: "")) }
        #expect(await home.dripUntilTheEnd())
    }

    @Test func aServerThatIsReleasedEndsItsConnections() async throws {
        var clients: [RealtimeClient] = []
        var home: RawClient?
        do {
            let running = try ServerProgram(wyoming: true)
            home = try RawClient(port: running.server.wyomingPort)
            await home?.send(WyomingMessage(type: "describe").bytes)
            #expect(await home?.receive() != nil)
            for _ in 0..<4 { clients.append(try await open(running, audio: .zero)) }
            clients.append(try await open(running, audio: .seconds(2)))
        }
        for client in clients { #expect(await client.dripUntilTheEnd()) }
        #expect(await home?.dripUntilTheEnd() == true)
    }

    @Test func anUploadIsFinished() async throws {
        let running = try ServerProgram()
        let folder = try TemporaryFolder()
        let tone = try writeTone(.seconds(2), in: folder.path)
        // It takes about eight seconds.
        async let upload = run(
            "curl",
            [
                "-q", "--silent", "--max-time", "60", "--limit-rate", "8k", "--form", "file=@\(tone)", "--form",
                "model=scripted", running.address + "/v1/audio/transcriptions",
            ])
        try await DictationRuntime.system.sleep(.seconds(2))
        await running.server.stop(within: .seconds(60))
        #expect(try await upload.output.contains("one two three four"))
        #expect(running.log.value.map(\.status) == [200])
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
