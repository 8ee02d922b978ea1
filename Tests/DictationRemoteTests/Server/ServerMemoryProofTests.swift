import DictationCore
import DictationMessages
import Foundation
import TestSupport
import Testing

@testable import DictationRemote

/// Clients that send without end, or read nothing, against a server in a process of its own.
@Suite(.serialized) struct ServerMemoryProofTests {
    /// What a client does: how it begins, what it sends again and again, and for how many bytes at most.
    struct Attack: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var isWyoming = false
        var start: [UInt8]
        var block: [UInt8]
        var limit = 200 << 20
    }

    private static func http(_ lines: String...) -> [UInt8] {
        Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
    }

    private static func form(_ field: String) -> [UInt8] {
        http(
            "POST /v1/audio/transcriptions HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked",
            "Content-Type: multipart/form-data; boundary=recording")
            + chunk(Array("--recording\r\nContent-Disposition: form-data; \(field)\r\n\r\n".utf8))
    }

    private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10]
    }

    private static let websocket = http(
        "GET /v1/realtime HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")

    private static func frames(_ text: String, count: Int) -> [UInt8] {
        let framing = WebSocketFraming(.client, messageLimit: 1 << 20)
        for _ in 0..<count { framing.send(.text(text)) }
        return framing.output
    }

    private static let zeros = [UInt8](repeating: 48, count: 1 << 16)

    static let attacks = [
        Attack(
            testDescription: "endless recording", start: form(#"name="file"; filename="a.wav""#), block: chunk(zeros)),
        Attack(testDescription: "endless field", start: form(#"name="model""#), block: chunk(zeros)),
        Attack(testDescription: "endless header", start: Array("GET / HTTP/1.1\r\nX: ".utf8), block: zeros),
        Attack(
            testDescription: "huge frame", start: websocket + [0x81, 0xFF, 0x3F] + [UInt8](repeating: 0xFF, count: 7),
            block: zeros),
        Attack(
            testDescription: "endless fragments", start: websocket + [0x01, 0x80, 0, 0, 0, 0],
            block: Array([[UInt8]](repeating: [0x00, 0x81, 0, 0, 0, 0, 48], count: 5_000).joined())),
        Attack(
            testDescription: "answers that nobody reads", start: websocket,
            block: frames(#"{"type":"unknown"}"#, count: 2_000)),
        Attack(
            testDescription: "endless line", isWyoming: true, start: Array(#"{"type":""#.utf8), block: zeros),
        Attack(
            testDescription: "huge payload", isWyoming: true,
            start: Array((#"{"type":"audio-chunk","payload_length":1000000000000}"# + "\n").utf8), block: zeros),
        Attack(
            testDescription: "descriptions that nobody reads", isWyoming: true, start: [],
            block: Array(String(repeating: #"{"type":"describe"}"# + "\n", count: 2_000).utf8)),
    ]

    /// Many clients each hold a message that is nearly whole.
    @Test func halfMessagesTakeLittleMemory() async throws {
        let server = try ServerProcess()
        let before = try server.peakMegabytes()
        let size = 15 << 20
        let length = (0..<8).reversed().map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
        let start: [UInt8] = Self.websocket + [0x81, 0xFF] + length + [0, 0, 0, 0]
        let clients = try (0..<100).map { _ in try RawClient(port: UInt16(server.port)) }
        await withTaskGroup(of: Void.self) { group in
            for client in clients {
                group.addTask {
                    guard await client.send(start) else { return }
                    for _ in 1..<size / Self.zeros.count { guard await client.send(Self.zeros) else { return } }
                }
            }
        }
        let peak = try server.peakMegabytes()
        print("half messages of \(clients.count) clients: \(peak - before) MB more")
        #expect(peak - before < 250)
    }

    @Test(arguments: attacks) func theServerTakesLittleMemory(_ attack: Attack) async throws {
        let server = try ServerProcess()
        let folder = try TemporaryFolder()
        let tone = try writeTone(.seconds(4), in: folder.path)
        let request = [
            "-q", "--silent", "--max-time", "60", "--form", "file=@\(tone)", "--form", "response_format=text",
            "http://127.0.0.1:\(server.port)/v1/audio/transcriptions",
        ]
        #expect(try await run("curl", request).output == "one two three four\n")
        let before = try server.peakMegabytes()
        let port = UInt16(attack.isWyoming ? server.wyomingPort : server.port)
        let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let client = try RawClient(port: port)
                    var size = 0
                    guard await client.send(attack.start) else { return 0 }
                    while size < attack.limit, await client.send(attack.block) { size += attack.block.count }
                    return size
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let peak = try server.peakMegabytes()
        print("\(attack.testDescription): \((sizes.max() ?? 0) >> 20) MB taken of each, \(peak - before) MB more")
        #expect(sizes.allSatisfy { $0 < attack.limit }, "The server never said that it is too much.")
        #expect(peak - before < 100)
        #expect(try await run("curl", request).output == "one two three four\n", "The server still works.")
    }
}
