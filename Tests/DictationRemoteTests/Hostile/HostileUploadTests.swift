import DictationCore
import DictationMessages
import DictationText
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// Uploads that are not as they should be.
@Suite(.timeLimit(.minutes(4))) struct HostileUploadTests {
    private let folder: TemporaryFolder
    private let tone: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        tone = Array(try Data(contentsOf: URL(filePath: try writeTone(.seconds(2), in: folder.path))))
    }

    private static func part(_ disposition: String, _ content: [UInt8], end: String = "\r\n") -> [UInt8] {
        Array("--recording\(end)Content-Disposition: form-data; \(disposition)\(end)\(end)".utf8) + content
            + Array(end.utf8)
    }

    private static let type = "multipart/form-data; boundary=recording"

    private static func head(_ lines: [String]) -> [UInt8] {
        Array(
            (["POST /v1/audio/transcriptions HTTP/1.1", "Host: localhost"] + lines + ["", ""]).joined(separator: "\r\n")
                .utf8)
    }

    /// Sends bytes, and returns the statuses and the end of all that comes back.
    private func ask(_ running: ServerProgram, _ bytes: [UInt8]) async throws -> (statuses: [Int], body: String) {
        let client = try RawClient(port: running.server.httpPort)
        await client.send(bytes)
        let text = String(decoding: await client.receiveAll(), as: UTF8.self)
        let statuses = text.components(separatedBy: "HTTP/1.1 ").dropFirst().compactMap { Int($0.prefix(3)) }
        return (statuses, text.components(separatedBy: "\r\n\r\n").last ?? "")
    }

    private func post(
        _ running: ServerProgram, _ body: [UInt8], type: String = type
    ) async throws -> (statuses: [Int], body: String) {
        let lines = ["Connection: close", "Content-Type: \(type)", "Content-Length: \(body.count)"]
        return try await ask(running, Self.head(lines) + body)
    }

    private static func chunks(_ bytes: [UInt8], _ size: Int) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: size).flatMap { start -> [UInt8] in
            let chunk = bytes[start..<min(bytes.count, start + size)]
            return Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [13, 10]
        }
    }

    private func isError(_ body: String) -> Bool {
        (try? JSONDecoder().decode(OpenAIFailure.self, from: Data(body.utf8)))?.error.message.isEmpty == false
    }

    /// The client hears why, although it told no length.
    @Test func anUploadInChunksMayBeTooLarge() async throws {
        let running = try ServerProgram { $0.limits.requestByteCount = 100_000 }
        let body =
            Self.part(#"name="file"; filename="a.wav""#, [UInt8](repeating: 7, count: 180_000))
            + Array("--recording--".utf8)
        let lines = [
            "Content-Type: multipart/form-data; boundary=recording", "Transfer-Encoding: chunked", "Connection: close",
        ]
        let answer = try await ask(running, Self.head(lines) + Self.chunks(body, 16_384) + Array("0\r\n\r\n".utf8))
        #expect(answer.statuses == [413] && isError(answer.body), "\(answer)")
        await running.server.stop(within: .milliseconds(100))
        #expect(running.log.value.map(\.status) == [413])
    }

    /// Nobody waits for the end of a body that has none. The log has every request all the same.
    @Test(arguments: [(50, 413), (3, 499)]) func anUploadMayNeverEnd(blocks: Int, status: Int) async throws {
        let running = try ServerProgram {
            ($0.limits.requestByteCount, $0.limits.idleTimeout) = (100_000, .seconds(1))
        }
        let lines = ["Content-Type: multipart/form-data; boundary=recording", "Transfer-Encoding: chunked"]
        let start = Self.part(#"name="file"; filename="a.wav""#, [7], end: "\r\n")
        let zeros = [UInt8](repeating: 0, count: 16_384)
        let answer = try await ask(
            running,
            Self.head(lines) + Self.chunks(Array(start.dropLast(2)) + (0..<blocks).flatMap { _ in zeros }, 16_384))
        #expect(answer.statuses.isEmpty)
        #expect(await eventually { running.log.value.map(\.status) == [status] }, "\(running.log.value)")
        await running.server.stop(within: .milliseconds(100))
    }

    @Test func curlHearsThatItsChunksAreTooMany() async throws {
        let running = try ServerProgram { $0.limits.requestByteCount = 100_000 }
        let large = try folder.write([UInt8](repeating: 0, count: 150_000), to: "large.wav")
        let answer = try await running.curl(
            "/v1/audio/transcriptions", ["--form", "file=@\(large)", "--header", "Transfer-Encoding: chunked"])
        #expect(answer.status == 413 && isError(answer.body), "\(answer)")
        await running.server.stop(within: .milliseconds(100))
    }

    @Test func aLengthThatIsTooLargeIsRefusedBeforeTheBody() async throws {
        let running = try ServerProgram { $0.limits.requestByteCount = 100_000 }
        for length in ["100001", "99999999999", "9223372036854775807", "18446744073709551615", "-1", "5x", "0x5"] {
            let lines = ["Content-Type: multipart/form-data; boundary=recording", "Expect: 100-continue"]
            let answer = try await ask(running, Self.head(lines + ["Content-Length: \(length)", "Connection: close"]))
            // libmicrohttpd refuses what is no number, and may do so twice.
            #expect([[413], [400], [400, 400]].contains(answer.statuses), "\(length): \(answer)")
        }
        await running.server.stop(within: .milliseconds(100))
    }

    @Test func chunksMayBeWhole() async throws {
        let running = try ServerProgram()
        let lines = [
            "Content-Type: multipart/form-data; boundary=recording", "Transfer-Encoding: chunked", "Connection: close",
        ]
        let body = Self.part(#"name="file"; filename="a.wav""#, tone) + Array("--recording--\r\n".utf8)
        for size in [1_000, 7, 1 << 20] {
            let answer = try await ask(running, Self.head(lines) + Self.chunks(body, size) + Array("0\r\n\r\n".utf8))
            #expect(answer.statuses == [200] && answer.body.contains("one two three four"), "\(answer)")
        }
        await running.server.stop(within: .milliseconds(100))
    }

    private typealias Form = (name: String, body: [UInt8], type: String)

    /// Forms that are unusual and allowed, and forms that are wrong.
    @Test func formsOfManyKinds() async throws {
        let running = try ServerProgram()
        let type = Self.type
        func form(_ parts: [UInt8]...) -> [UInt8] { Array(parts.joined()) + Array("--recording--\r\n".utf8) }
        func field(_ name: String, _ value: String) -> [UInt8] {
            Self.part("name=\"\(name)\"", Array(value.utf8))
        }
        let file = Self.part(#"name="file"; filename="a.wav""#, tone)
        let usual = form(file)
        func named(_ name: String) -> [UInt8] { form(Self.part("name=\"file\"; filename=\"\(name)\"", tone)) }
        let good: [Form] = [
            ("usual", usual, type), ("quoted", usual, #"multipart/form-data; boundary="recording""#),
            ("charset", usual, "multipart/form-data; charset=utf-8; boundary=recording"),
            ("case", usual, "Multipart/Form-Data; boundary=recording"),
            ("no name of a file", form(Self.part(#"name="file""#, tone)), type),
            ("empty fields", form(file, field("language", "")), type),
            ("fields after", form(file, field("model", "scripted")), type),
            ("an accent first", named("\u{301}.wav"), type), ("a path", named("../../../../etc/passwd"), type),
            ("a long name", named(String(repeating: "e\u{301}", count: 700)), type),
        ]
        for (name, body, type) in good {
            let answer = try await post(running, body, type: type)
            #expect(answer.statuses == [200] && answer.body.contains("one two three four"), "\(name): \(answer)")
        }
        let bad: [Form] = [
            ("no boundary", usual, "multipart/form-data"), ("other boundary", usual, "multipart/form-data; boundary=x"),
            ("empty boundary", usual, "multipart/form-data; boundary="),
            ("long boundary", usual, "multipart/form-data; boundary=\(String(repeating: "x", count: 4_000))"),
            ("two files", form(file, file), type),
            ("two models", form(file, field("model", "scripted"), field("model", "unknown")), type),
            ("an accent as a model", form(file, field("model", "scripted\u{301}")), type),
            ("an accent as a value", form(file, field("stream", "\u{301}true")), type),
            ("an unknown field", form(file, field("speed", "2")), type),
            ("no file", form(field("model", "scripted")), type),
            ("an empty file", form(Self.part(#"name="file"; filename="a.wav""#, [])), type),
            ("no end", Array(file.prefix(2_000)), type), ("nothing", [], type),
            ("no form", Array("{}".utf8), "application/json"),
            ("a form of fields", Array("model=scripted".utf8), "application/x-www-form-urlencoded"),
            ("no type", usual, ""), ("an accent as type", usual, "\u{301}multipart/form-data; boundary=recording"),
            ("no text", form(file, Self.part(#"name="language""#, [0xFF, 0xC3])), type),
            ("a zero", form(file, field("language", "en\u{0}")), type),
        ]
        for (name, body, type) in bad {
            let answer = try await post(running, body, type: type)
            #expect(
                answer.statuses.count == 1 && [400, 404, 413, 415].contains(answer.statuses[0]), "\(name): \(answer)")
            #expect(isError(answer.body), "\(name): \(answer)")
        }
        await running.server.stop(within: .milliseconds(100))
        #expect(running.log.value.count == good.count + bad.count)
        #expect(running.log.value.allSatisfy { !$0.json.contains("\n") && $0.text == nil })
    }

    /// A name that would forge a line, a header or a path comes back as text in JSON.
    @Test func namesAreOnlyNames() async throws {
        let running = try ServerProgram()
        for name in ["a\u{1B}[2J.wav", "a\u{202E}.wav", "%0d%0aX-Evil: 1.wav", "\\\"}],.wav", "/proc/self/environ"] {
            let body =
                Self.part("name=\"file\"; filename=\"\(name)\"", Array("no sound".utf8)) + Array("--recording--".utf8)
            let answer = try await post(running, body)
            #expect(answer.statuses == [400] && isError(answer.body), "\(answer)")
            #expect(
                !answer.body.contains("\u{1B}") && !answer.body.contains("\u{202E}") && !answer.body.contains("/fd/"))
        }
        await running.server.stop(within: .milliseconds(100))
    }
}
