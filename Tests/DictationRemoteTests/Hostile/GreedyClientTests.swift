import DictationCore
import DictationEngines
import DictationMessages
import DictationText
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// One client that takes all it can get, and another that wants a little.
@Suite struct GreedyClientTests {
    private func health(_ running: ServerProgram) async throws -> String { try await running.curl("/health").body }

    @Test(arguments: [false, true]) func silentConnectionsKeepNobodyOut(isWyoming: Bool) async throws {
        let running = try ServerProgram(wyoming: true) { $0.limits.connections = 16 }
        let port = isWyoming ? running.server.wyomingPort : running.server.httpPort
        let silent = try (0..<48).map { _ in try RawClient(port: port) }
        for _ in 0..<3 { #expect(try await health(running) == "ok\n") }
        #expect(try await running.curl("/v1/models").status == 200)
        let client = try RawClient(port: running.server.wyomingPort)
        await client.send(WyomingMessage(type: "describe").bytes)
        #expect(await client.receive() != nil)
        await running.server.stop(within: .milliseconds(100))
        _ = silent.count
    }

    @Test func websocketsWithoutAudioKeepNobodyOut() async throws {
        let running = try ServerProgram { $0.limits.connections = 16 }
        var silent: [RealtimeClient] = []
        for _ in 0..<48 {
            let client = try await RealtimeClient(port: running.server.httpPort)
            await client.sendRaw([0x89, 0x80, 0, 0, 0, 0])
            silent.append(client)
        }
        #expect(try await health(running) == "ok\n")
        let client = try await RealtimeClient.open(running)
        await client.send(RealtimeClient.settings)
        await client.sendAudio(.seconds(2))
        // What works stays, however many come.
        let others = try (0..<32).map { _ in try RawClient(port: running.server.httpPort) }
        #expect(try await health(running) == "ok\n")
        await client.send(RealtimeClient.commit)
        #expect(await client.event("transcription.completed")?["transcript"] == .text("one two three four"))
        await running.server.stop(within: .milliseconds(100))
        _ = (silent.count, others.count)
    }

    private static let head = [
        "POST /v1/audio/transcriptions HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked",
        "Content-Type: multipart/form-data; boundary=recording", "", "",
    ].joined(separator: "\r\n")
    private static let begin =
        "--recording\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\n"

    private func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10]
    }

    @Test func unfinishedUploadsHaveALimit() async throws {
        let running = try ServerProgram {
            ($0.limits.uploadByteCount, $0.limits.uploadByteCountPerClient) = (4 << 20, 1 << 20)
        }
        let clients = try (0..<8).map { _ in try RawClient(port: running.server.httpPort) }
        let block = chunk([UInt8](repeating: 7, count: 1 << 16))
        for client in clients {
            await client.send(Array(Self.head.utf8) + chunk(Array(Self.begin.utf8)))
            for _ in 0..<6 { await client.send(block) }
        }
        // A client that went too far is told so when its form ends.
        let end = chunk(Array("\r\n--recording--\r\n".utf8)) + Array("0\r\n\r\n".utf8)
        for client in clients { await client.send(end) }
        var statuses: [String] = []
        for client in clients {
            statuses.append(
                String(String(decoding: await client.receive() ?? [], as: UTF8.self).dropFirst(9).prefix(3)))
        }
        #expect(statuses.contains("429"), "\(statuses)")
        let metrics = try await running.curl("/metrics").body
        #expect(metrics.contains("dictation_upload_bytes 0\n"), "\(metrics)")
        await running.server.stop(within: .milliseconds(100))
    }

    /// A byte now and then is not idle, and would keep a place without end.
    @Test func aBodyThatDripsIsEnded() async throws {
        let running = try ServerProgram { $0.limits.idleTimeout = .seconds(1) }
        let client = try RawClient(port: running.server.httpPort)
        let head = Self.head.replacing("Transfer-Encoding: chunked", with: "Content-Length: 1000000")
        await client.send(Array((head + Self.begin).utf8))
        #expect(await client.dripUntilTheEnd())
        await running.server.stop(within: .milliseconds(100))
    }

    @Test func longRecordingsOfOneClientKeepNoOtherWaiting() async throws {
        let folder = try TemporaryFolder()
        let tone = try writeTone(.seconds(2), in: folder.path)
        let engine = ScriptedEngine([.final("words", at: .seconds(1)), .stall(at: .milliseconds(1_500))])
        let running = try ServerProgram(engine) { ($0.limits.recordings, $0.isBehindProxy) = (2, true) }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (number, client) in ["a", "a", "b"].enumerated() {
                group.addTask {
                    let form = ["--form", "file=@\(tone)", "--header", "X-Forwarded-For: \(client)"]
                    return try await running.curl("/v1/audio/transcriptions", form).status
                }
                #expect(await eventually { running.server.recordingCounts == (number + 1, 0) })
            }
            #expect(await eventually { engine.sessions.count == 3 })
            engine.releaseStalls()
            for try await status in group { #expect(status == 200) }
        }
        await running.server.stop()
    }
}
