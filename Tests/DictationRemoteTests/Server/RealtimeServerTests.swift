#if Remote
import CSystem
import DictationCore
import DictationEngines
import DictationMessages
import DictationSystem
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// The realtime interface of a server, with the engine as its client.
@Suite struct RealtimeServerTests {
    private func engine(at address: String) throws -> RemoteEngine {
        var server = RemoteServer(address)
        server.proxy = ""
        return try RemoteEngine(.openAI, server, locales: ["en-US"]) {
            ($0.isRealtime, $0.model, $0.sampleRate) = (true, "scripted", 16_000)
        }
    }

    @Test(arguments: ["ws", "http"], ["", "/", "/v1", "/v1/"])
    func theBaseAddressIsEnough(scheme: String, path: String) async throws {
        let running = try ServerProgram()
        let engine = try engine(at: "\(scheme)://127.0.0.1:\(running.server.httpPort ?? 0)\(path)")
        let heard = await hear(CodedSpeech.buffers(words: 0..<5), with: engine)
        #expect(heard.text == "one two three four" && heard.error == nil, "\(heard)")
        await running.server.stop()
    }

    @Test func manyStreamsAtOnceGetTheirWholeText() async throws {
        let running = try ServerProgram { ($0.limits.streams, $0.limits.perClient) = (40, 40) }
        let engine = try engine(at: "http://127.0.0.1:\(running.server.httpPort ?? 0)")
        let heard = await withTaskGroup(of: Heard.self) { group in
            for _ in 0..<40 { group.addTask { await hear(CodedSpeech.buffers(words: 0..<5), with: engine) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(heard.allSatisfy { $0.text == "one two three four" && $0.error == nil && $0.interruptions.isEmpty })
        await running.server.stop()
        #expect(heard.count == 40 && running.log.value.map(\.status) == Array(repeating: 200, count: 40))
    }

    /// A server with many streams may be far behind. An answer that is late is better than one that never comes.
    @Test func theEngineHasMinutesToFinish() async throws {
        let scripted = ScriptedEngine()
        let running = try ServerProgram(scripted, wyoming: true)
        let realtime = try engine(at: "http://127.0.0.1:\(running.server.httpPort ?? 0)")
        let wyoming = try RemoteEngine(
            .wyoming,
            RemoteServer("tcp://127.0.0.1:\(running.server.wyomingPort ?? 0)"), locales: ["en-US"])
        _ = await hear(CodedSpeech.buffers(words: 0..<5), with: realtime)
        _ = await hear(CodedSpeech.buffers(words: 0..<5), with: wyoming, RecognitionOptions())
        #expect(scripted.sessions.count == 2)
        #expect(scripted.sessions.allSatisfy { $0.options.finalizationTimeout >= .seconds(60) })
        await running.server.stop()
    }

    /// While a server works on a message it reads nothing, so it can't answer a ping. It says that it lives.
    @Test func aServerThatWorksSaysThatItLives() async throws {
        let pair = try Descriptor.pair()
        defer { close(pair.1) }
        let share = MessageShare(of: MessageMemory(limit: 1 << 20), timeout: .seconds(20), runtime: .system)
        let channel = RealtimeChannel(
            ClientSocket(pair.0, runtime: .system), share, idleTimeout: .seconds(20), runtime: .system)
        let client = WebSocketFraming(.client, messageLimit: 1 << 20)
        client.send(.text("{}"))
        #expect(try await channel.take(client.output) == [.text("{}")])
        let beating = Task { await channel.beat(every: .milliseconds(1)) }
        let ping = try await BlockingWork("peer").run { [descriptor = pair.1] () throws(DictationError) in
            var bytes: [UInt8] = [0, 0]
            return recv(descriptor, &bytes, 2, Int32(MSG_WAITALL)) == 2 ? bytes : []
        }
        #expect(ping == [0x89, 0])
        beating.cancel()
        await beating.value
    }
}
#endif
