#if Remote || Server
import DictationCore
import DictationMessages
import DictationText
import Foundation
import Testing

@testable import DictationRemote
@testable import DictationServer

/// A client of the realtime interface that sends whatever a test says. Only one task uses it.
final class RealtimeClient {
    private let client: RawClient
    private let framing = WebSocketFraming(.client, messageLimit: 1 << 20)
    private var waiting: [WebSocketMessage] = []
    /// The status of the answer to the handshake.
    private(set) var status = 0

    init(port: UInt16?, path: String = "/v1/realtime", headers: [String] = []) async throws {
        client = try RawClient(port: port)
        let lines =
            [
                "GET \(path) HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket",
                "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ] + headers + ["", ""]
        await client.send(Array(lines.joined(separator: "\r\n").utf8))
        var answer: [UInt8] = []
        let mark = Array("\r\n\r\n".utf8)
        while answer.firstRange(of: mark) == nil, let more = await client.receive() { answer += more }
        guard let end = answer.firstRange(of: mark)?.upperBound else { return }
        status = Int(String(decoding: answer.dropFirst(9).prefix(3), as: UTF8.self)) ?? 0
        take(Array(answer[end...]))
    }

    /// Opens a connection to a server, up to its greeting.
    static func open(_ running: ServerProgram) async throws -> RealtimeClient {
        let client = try await RealtimeClient(port: running.server.httpPort)
        #expect(client.status == 101)
        #expect(await client.event("session.created") != nil)
        return client
    }

    /// The message that sets audio at 24 kHz, whose utterances end with ``commit``.
    static let settings = """
        {"type":"session.update","session":{"type":"transcription","audio":{"input":{
        "format":{"type":"audio/pcm","rate":24000},"transcription":{"model":"scripted"},"turn_detection":null}}}}
        """
    /// The message that ends an utterance.
    static let commit = #"{"type":"input_audio_buffer.commit"}"#

    private func take(_ bytes: [UInt8]) {
        waiting += bytes.withUnsafeBytes { framing.receive($0) }
    }

    private func flush() async -> Bool {
        let bytes = framing.output
        framing.written(bytes.count)
        return bytes.isEmpty ? true : await client.send(bytes)
    }

    @discardableResult
    func send(_ text: String) async -> Bool { await send(.text(text)) }

    @discardableResult
    func send(_ message: WebSocketMessage) async -> Bool {
        framing.send(message)
        return await flush()
    }

    /// Sends bytes as they are.
    @discardableResult
    func sendRaw(_ bytes: [UInt8]) async -> Bool { await client.send(bytes) }

    /// Sends a byte now and then. Returns whether the server ended the connection within a minute.
    func dripUntilTheEnd() async -> Bool { await client.dripUntilTheEnd() }

    /// Sends zeros as audio at 24 kHz.
    func sendAudio(_ duration: Duration) async {
        let bytes = [UInt8](repeating: 0, count: Int(AudioFormat(sampleRate: 24_000).frames(in: duration)) * 2)
        await send(#"{"type":"input_audio_buffer.append","audio":"\#(Data(bytes).base64EncodedString())"}"#)
    }

    /// Waits for the next message; `nil` at the end of the connection.
    func next() async -> WebSocketMessage? {
        while waiting.isEmpty {
            guard await flush(), framing.isReceiving, let bytes = await client.receive() else { return nil }
            take(bytes)
        }
        return waiting.removeFirst()
    }

    /// Waits for an event whose type ends in a name, and returns it; `nil` at the end of the connection.
    func event(_ name: String) async -> JSONValue? {
        while case .text(let text)? = await next() {
            guard let value = JSONValue(json: text.utf8) else { return nil }
            if value["type"]?.text?.hasSuffix(name) == true { return value }
        }
        return nil
    }
}
#endif
