import DictationCore
import DictationEngines
import DictationMessages
import DictationSystem
import DictationText
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

@Suite struct HostileClientTests {
    private func pieces(_ message: WyomingMessage, _ count: Int) -> [UInt8] {
        Array([[UInt8]](repeating: message.bytes, count: count).joined())
    }

    @Test func hostileClientsDisturbNobody() async throws {
        let running = try ServerProgram(wyoming: true) { $0.limits.idleTimeout = .seconds(2) }
        let (http, wyoming) = (running.server.httpPort, running.server.wyomingPort)
        // Clients that say nothing, or stop in the middle, stay connected meanwhile.
        let silent = [try RawClient(port: http), try RawClient(port: wyoming)]
        await silent[0].send(Array("POST /v1/audio/transcriptions HTTP/1.1\r\nHost: localhost\r\nContent-Le".utf8))
        await silent[1].send(Array(#"{"type":"audio-chunk","payload_length":4000000}"#.utf8 + [10, 1, 2, 3]))

        for nonsense in ["GET / HTTP/1.1\r\n\r\n", "[]\n", #"{"type":"audio-chunk","data":{"rate":7}}"# + "\n"] {
            let client = try RawClient(port: wyoming)
            await client.send(Array(nonsense.utf8))
            let answer = await client.receiveAll()
            #expect(String(decoding: answer, as: UTF8.self).contains(#""type":"error""#), "\(nonsense)")
        }
        for nonsense in ["\u{0}\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "{}\n\r\n"] {
            let client = try RawClient(port: http)
            await client.send(Array(nonsense.utf8))
            _ = await client.receiveAll()
        }
        let folder = try TemporaryFolder()
        let tone = try writeTone(.seconds(4), in: folder.path)
        #expect(try await running.transcribe(tone).status == 200)
        #expect(try await take(at: wyoming) == "one two three four")
        // Who says nothing has to leave.
        for client in silent { _ = await client.receiveAll() }
        await running.server.stop()
    }

    /// Has a take of two seconds transcribed, and returns the text or the error.
    private func take(at port: UInt16?) async throws -> String? {
        let client = try RawClient(port: port)
        await client.send(WyomingMessage(type: "audio-start").bytes)
        await client.send(
            pieces(WyomingMessage(type: "audio-chunk", payload: [UInt8](repeating: 0, count: 6_400)), 10))
        await client.send(WyomingMessage(type: "audio-stop").bytes)
        var reader = WyomingReader()
        reader.append(await client.receiveAll())
        while let message = try reader.next() {
            if message.type == "transcript" || message.type == "error" { return message.data["text"]?.text }
        }
        return nil
    }

    /// A client that begins again without an end, or that only ends its half of the connection.
    @Test func noTakeIsLostWithoutItsEnd() async throws {
        let running = try ServerProgram(wyoming: true)
        let client = try RawClient(port: running.server.wyomingPort)
        for _ in 0..<2 {
            await client.send(WyomingMessage(type: "audio-start").bytes)
            await client.send(
                pieces(WyomingMessage(type: "audio-chunk", payload: [UInt8](repeating: 0, count: 6_400)), 10))
        }
        client.endSending()
        var reader = WyomingReader()
        reader.append(await client.receiveAll())
        var texts: [String?] = []
        while let message = try reader.next() {
            if message.type == "transcript" { texts.append(message.data["text"]?.text) }
        }
        #expect(texts == ["one two three four", "one two three four"])
        await running.server.stop()
        #expect(running.log.value.map(\.status) == [200, 200])
    }

    @Test func aClientHasItsShareOfTheStreams() async throws {
        let running = try ServerProgram(wyoming: true) {
            $0.limits.perClient = 1
            $0.limits.idleTimeout = .seconds(2)
        }
        let first = try RawClient(port: running.server.wyomingPort)
        await first.send(WyomingMessage(type: "audio-start").bytes)
        #expect(await eventually { running.server.streamCount == 1 })
        #expect(try await take(at: running.server.wyomingPort)?.contains("too many requests") == true)
        _ = await first.receiveAll()
        #expect(try await take(at: running.server.wyomingPort) == "one two three four")
        await running.server.stop()
    }
}
