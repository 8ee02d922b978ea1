import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// Requests that a proxy could understand otherwise, and what the log says of refusals.
@Suite struct AmbiguousRequestTests {
    private func status(_ running: ServerProgram, _ headers: [String], method: String = "GET") async throws -> Int {
        let client = try RawClient(port: running.server.httpPort)
        let lines = ["\(method) /v1/models HTTP/1.1"] + headers + ["Connection: close", "", ""]
        await client.send(Array(lines.joined(separator: "\r\n").utf8))
        let answer = String(decoding: await client.receiveAll(), as: UTF8.self)
        return Int(answer.dropFirst(9).prefix(3)) ?? 0
    }

    @Test(arguments: [
        ["Host: localhost", "Content-Length: 0", "Transfer-Encoding: chunked"],
        ["Host: localhost", "Content-Length: 0", "Content-Length: 5"],
        ["Host: localhost", "Content-Length: 0", "content-length: 0"],
        ["Host: localhost", "Authorization: Bearer swordfish", "Authorization: Bearer herring"],
        ["Host: localhost", "Authorization: Bearer herring", "authorization: Bearer swordfish"],
        ["Host: localhost", "Host: evil.example"], ["Host: localhost", "Authorization: Bearer swordfish\u{0}herring"],
        ["Host: localhost", "X: one\u{0}two", "Authorization: Bearer swordfish"],
        ["Host: localhost\u{0}.evil.example", "Authorization: Bearer swordfish"],
    ])
    func anAmbiguousRequestIsRefused(_ headers: [String]) async throws {
        for token in [SecretText("swordfish"), nil] {
            let running = try ServerProgram { $0.token = token }
            let status = try await status(running, headers, method: "POST")
            #expect((400..<500).contains(status) && status != 404, "\(headers): \(status)")
            await running.server.stop(within: .milliseconds(100))
        }
    }

    @Test func usualRequestsAreServed() async throws {
        let running = try ServerProgram { $0.token = SecretText("swordfish") }
        for headers in [
            ["Host:localhost", "Authorization:Bearer swordfish"],
            [
                "Host:   localhost", "X-Empty:", "X-Long: \(String(repeating: "a b: c\t", count: 500))",
                "Cookie: a=b; c=d",
            ],
            ["X-One: 1", "X-One: 2", "Host: localhost", "Accept: text/html, */*;q=0.8", "X-Name: n\u{E9}"],
        ] {
            let all =
                headers.contains { $0.hasPrefix("Auth") } ? headers : headers + ["Authorization: Bearer swordfish"]
            #expect(try await status(running, all) == 200, "\(headers)")
        }
        await running.server.stop(within: .milliseconds(100))
    }

    @Test(arguments: ["localhost:1@evil.example", "localhost:", "localhost:80x", "127.0.0.1:123456", "[::1]:a"])
    func aHostHasAPortAndNothingElse(_ host: String) async throws {
        let running = try ServerProgram()
        #expect(try await status(running, ["Host: \(host)"]) == 421)
        #expect(try await status(running, ["Host: localhost:65535"]) == 200)
        await running.server.stop(within: .milliseconds(100))
    }

    @Test func refusalsAreInTheLogAndTheMetrics() async throws {
        let running = try ServerProgram { $0.token = SecretText("swordfish") }
        #expect(try await running.curl("/v1/models").status == 401)
        #expect(try await running.curl("/v1/realtime").status == 401)
        let known = ["--header", "Authorization: Bearer swordfish"]
        #expect(try await running.curl("/nothing", known).status == 404)
        let metrics = try await running.curl("/metrics", known).body
        for line in [
            #"dictation_requests_total{interface="http",status="401"} 1"#,
            #"dictation_requests_total{interface="realtime",status="401"} 1"#,
            #"dictation_requests_total{interface="http",status="404"} 1"#,
        ] {
            #expect(metrics.contains(line), "\(metrics)")
        }
        await running.server.stop()
        #expect(running.log.value.map(\.status) == [401, 401, 404])
        let open = try ServerProgram()
        #expect(try await open.curl("/v1/models", ["--header", "Host: evil.example"]).status == 421)
        #expect(try await open.curl("/v1/models", ["--header", "Origin: https://evil.example"]).status == 403)
        await open.server.stop()
        #expect(open.log.value.map(\.status) == [421, 403])
    }

    @Test func aLineOfTheLogIsBounded() async throws {
        let running = try ServerProgram()
        let long = String(repeating: "a", count: 60_000)
        #expect(try await running.curl("/\(long.prefix(30_000))").status >= 400)
        let folder = try TemporaryFolder()
        let tone = try writeTone(.seconds(1), in: folder.path)
        let answer = try await running.transcribe(tone, ["model=\(long)"])
        #expect(answer.status == 404 && answer.body.utf8.count < 4_000)
        await running.server.stop()
        #expect(running.log.value.count >= 1 && running.log.value.allSatisfy { $0.json.utf8.count < 4_000 })
    }

    /// The path of an upload without a name means nothing to anyone.
    @Test func theLogHasTheClientsNameOfARecording() async throws {
        let folder = try TemporaryFolder()
        let text = try folder.write(Array("no sound".utf8), to: "notes.txt")
        let running = try ServerProgram()
        #expect(try await running.transcribe(text).status == 400)
        await running.server.stop()
        let error = running.log.value.first?.error ?? ""
        #expect(error.contains("notes.txt") && !error.contains("/proc/"), "\(error)")
    }

    @Test func aTokenThatOthersCanReadIsSaid() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Array("swordfish".utf8), to: "token")
        for (mode, isSaid) in [(0o644, true), (0o640, true), (0o604, true), (0o600, false), (0o400, false)] {
            chmod(path, mode_t(mode))
            #expect((SecretText.Source.file(path).warning != nil) == isSaid, "\(mode)")
        }
        #expect(SecretText.Source.file(folder.file("missing")).warning == nil)
    }
}
