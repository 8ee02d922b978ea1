import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// Forms whose bytes arrive in pieces, as they do with encryption and over slow connections.
@Suite struct FormPieceTests {
    private static let fields = [
        ("model", "scripted"), ("response_format", "verbose_json"), ("timestamp_granularities[]", "word"),
        ("timestamp_granularities[]", "segment"), ("language", "en"),
    ]

    private static func form(_ recording: Data) -> (beforeRecording: Int, bytes: [UInt8]) {
        var bytes: [UInt8] = []
        for (name, value) in fields {
            bytes += Array("--recording\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
        }
        bytes += Array("--recording\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\n".utf8)
        return (bytes.count, bytes + recording + Array("\r\n--recording--\r\n".utf8))
    }

    /// `DICTATION_TRIALS=all` cuts at every byte.
    @Test func aFormMayBeCutAtAnyByte() async throws {
        let running = try ServerProgram()
        let folder = try TemporaryFolder()
        let recording = try Data(contentsOf: URL(filePath: writeTone(.seconds(4), in: folder.path)))
        let form = Self.form(recording)
        let head = """
            POST /v1/audio/transcriptions HTTP/1.1\r
            Host: localhost\r
            Connection: close\r
            Content-Type: multipart/form-data; boundary=recording\r
            Content-Length: \(form.bytes.count)\r
            \r

            """
        for cut in stride(from: 1, through: form.beforeRecording, by: Trials.step(7)) {
            let client = try RawClient(port: running.server.httpPort)
            await client.send(Array(head.utf8) + form.bytes[..<cut])
            // Without a pause, the server would find both pieces at once.
            try await Task.sleep(for: .milliseconds(3))
            await client.send(Array(form.bytes[cut...]))
            let answer = String(decoding: await client.receiveAll(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("one two three four"), "\(cut): \(answer)")
        }
        await running.server.stop()
    }
}
