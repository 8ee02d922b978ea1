import DictationCore
import DictationEngines
import DictationMessages
import DictationText
import Foundation
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// Clients of HTTP that do what they should not.
@Suite(.timeLimit(.minutes(4))) struct HostileHTTPClientTests {
    private func get(
        _ running: ServerProgram, _ path: String, method: String = "GET", _ headers: [String] = []
    ) async throws -> (status: Int, body: String) {
        let client = try RawClient(port: running.server.httpPort)
        let lines = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Connection: close"] + headers + ["", ""]
        await client.send(Array(lines.joined(separator: "\r\n").utf8))
        let text = String(decoding: await client.receiveAll(), as: UTF8.self)
        return (
            Int(text.dropFirst("HTTP/1.1 ".count).prefix(3)) ?? 0, text.components(separatedBy: "\r\n\r\n").last ?? ""
        )
    }

    @Test func pathsAreExact() async throws {
        let running = try ServerProgram()
        for path in [
            "/v1/models", "/v1/models/scripted", "/v1/models/%73cripted", "/v1/models?x=1", "/health", "/metrics",
        ] {
            #expect(try await get(running, path).status == 200, "\(path)")
        }
        for path in [
            "/v1/models/..", "/v1/models/../models", "/v1/models/%2e%2e/models", "//v1/models", "/v1/models/",
            "/V1/models",
            "/v1/models/scripted\u{301}", "/v1/models/%", "/v1/models/%zz",
            "/v1/models/scripted/x",
            "/%2576", "/v1/models/\u{FF}", "/../../etc/passwd", "/v1/models\u{301}",
            "/\(String(repeating: "a/", count: 2_000))",
        ] {
            let answer = try await get(running, path)
            #expect([400, 404, 414, 431].contains(answer.status), "\(path): \(answer)")
        }
        await running.server.stop(within: .milliseconds(100))
    }

    @Test func namesOfModelsMayHaveAnyLetters() async throws {
        var configuration = DictationServer.Configuration()
        configuration.http = .init(port: 0)
        let names = ["openai/whisper-small", "mode\u{300}le", "\u{301}", "a b", "100%", "語"]
        let server = try DictationServer(
            names.map { ServedModel($0, engine: ScriptedEngine()) }, configuration)
        for name in names {
            let path = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let answer = try await run(
                "curl",
                ["-q", "--silent", "--max-time", "60", "http://127.0.0.1:\(server.httpPort ?? 0)/v1/models/\(path)"])
            #expect(JSONValue(json: answer.output.utf8)?["id"] == .text(name), "\(name): \(answer)")
        }
        await server.stop()
    }

    @Test func methodsAreExact() async throws {
        let running = try ServerProgram()
        for (method, path) in [
            ("GET", "/v1/audio/transcriptions"), ("PUT", "/v1/audio/transcriptions"), ("DELETE", "/v1/models/scripted"),
            ("POST", "/v1/models"), ("BREW", "/health"), ("OPTIONS", "/v1/models"), ("TRACE", "/v1/models"),
            ("CONNECT", "/v1/models"), ("GET\u{301}", "/v1/models"),
        ] {
            let answer = try await get(running, path, method: method, ["Content-Length: 0"])
            #expect((400..<500).contains(answer.status), "\(method) \(path): \(answer)")
        }
        await running.server.stop(within: .milliseconds(100))
    }

    @Test(arguments: ["/v1/models", "/v1/realtime", "/metrics"]) func noOtherTokenIsTaken(_ path: String) async throws {
        let running = try ServerProgram { $0.token = SecretText("swordfish") }
        let upgrade = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        for value in [
            nil, "", "Bearer", "Bearer ", "Bearer swordfis", "Bearer swordfishh", "Bearer  swordfish x",
            "Basic swordfish",
            "Bearer swordfish\u{301}", "\u{301}Bearer swordfish", "Bearer \u{301}swordfish", "Bearer,swordfish",
            "Bearer \(String(repeating: "swordfish", count: 1_000))",
        ] {
            let header = value.map { ["Authorization: \($0)"] } ?? []
            let answer = try await get(running, path, header + (path == "/v1/realtime" ? upgrade : []))
            #expect(answer.status == 401 || answer.status == 400, "\(value ?? "none"): \(answer)")
            #expect(!answer.body.contains("swordfish"))
        }
        await running.server.stop(within: .milliseconds(100))
        #expect(running.log.value.allSatisfy { !$0.json.contains("swordfish") })
    }

    /// A combining mark after a name joins it to one letter, and is another name all the same.
    @Test(arguments: [
        "localhost\u{301}", "127.0.0.1\u{301}", "127.0.0.1.evil.example", "[::1].evil", "", "evil.example:80",
    ])
    func otherHostsAreOtherPlaces(_ host: String) async throws {
        let running = try ServerProgram()
        let client = try RawClient(port: running.server.httpPort)
        await client.send(Array("GET /v1/models HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8))
        let answer = String(decoding: await client.receiveAll(), as: UTF8.self)
        #expect(!answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
        await running.server.stop(within: .milliseconds(100))
    }

    /// More clients than the server has places send their requests too slowly, and have to leave.
    @Test func slowClientsLeave() async throws {
        let running = try ServerProgram {
            ($0.limits.connections, $0.limits.idleTimeout) = (16, .seconds(1))
        }
        let slow = try (0..<24).map { _ in try RawClient(port: running.server.httpPort) }
        for client in slow { await client.send(Array("POST /v1/audio/transcriptions HTTP/1.1\r\nHost: lo".utf8)) }
        for client in slow { _ = await client.receiveAll() }
        #expect(try await running.curl("/v1/models").status == 200)
        await running.server.stop(within: .milliseconds(100))
    }

    /// A client that sends a byte now and then never sends nothing, and must not hold its place without end.
    @Test func clientsThatDripLeave() async throws {
        let running = try ServerProgram {
            ($0.limits.connections, $0.limits.idleTimeout) = (4, .seconds(1))
        }
        let drips = try (0..<4).map { _ in try RawClient(port: running.server.httpPort) }
        await withTaskGroup(of: Bool.self) { group in
            for client in drips {
                group.addTask {
                    await client.send(Array("GET /v1/models HTTP/1.1\r\nX: ".utf8))
                    return await client.dripUntilTheEnd()
                }
            }
            for await hasEnded in group { #expect(hasEnded) }
        }
        #expect(try await running.curl("/v1/models").status == 200)
        await running.server.stop(within: .milliseconds(100))
    }

    @Test func aStopEndsWhatDoesNotEnd() async throws {
        let engine = ScriptedEngine([.final("words", at: .seconds(1)), .stall(at: .milliseconds(1_500))])
        let folder = try TemporaryFolder()
        let tone = try writeTone(.seconds(2), in: folder.path)
        let running = try ServerProgram(engine, wyoming: true) { $0.limits.recordings = 1 }
        async let first = running.transcribe(tone)
        async let second = running.transcribe(tone, ["stream=true"])
        let wyoming = try RawClient(port: running.server.wyomingPort)
        await wyoming.send(WyomingMessage(type: "audio-start").bytes)
        #expect(await eventually { running.server.recordingCounts == (1, 1) && running.server.streamCount == 1 })
        async let other: Void = running.server.stop(within: .milliseconds(300))
        await running.server.stop(within: .milliseconds(300))
        await other
        #expect(running.server.recordingCounts == (0, 0) && running.server.streamCount == 0)
        let statuses = try await [first.status, second.status]
        #expect(statuses.allSatisfy { $0 == 0 || $0 == 503 || $0 == 200 }, "\(statuses)")
        _ = await wyoming.receiveAll()
        #expect(await eventually { engine.openSessions == 0 })
    }

    @Test func theMetricsAreTrue() async throws {
        let folder = try TemporaryFolder()
        let tone = try writeTone(.seconds(4), in: folder.path)
        let running = try ServerProgram(wyoming: true)
        for _ in 0..<3 { #expect(try await running.transcribe(tone).status == 200) }
        #expect(try await running.transcribe(tone, ["stream=true"]).status == 200)
        #expect(try await running.transcribe(tone, ["language=tlh"]).status == 400)
        #expect(try await get(running, "/nothing").status == 404)
        #expect(try await get(running, "/v1/audio/transcriptions", method: "BREW").status >= 400)
        let metrics = try await running.curl("/metrics").body
        #expect(metrics.contains("dictation_requests_total{interface=\"http\",status=\"200\"} 4"), "\(metrics)")
        #expect(metrics.contains("dictation_audio_seconds_total{interface=\"http\"} 16.0"), "\(metrics)")
        for line in metrics.split(separator: "\n") where !line.hasPrefix("#") {
            let value = line.split(separator: " ").last.flatMap { Double($0) }
            #expect(value.map { $0 >= 0 && $0.isFinite } == true, "\(line)")
        }
        await running.server.stop(within: .milliseconds(100))
    }

    @Test func noLogHasTheText() async throws {
        let folder = try TemporaryFolder()
        let tone = try writeTone(.seconds(4), in: folder.path)
        let engine = ScriptedEngine([
            .final("a secret plan", at: .seconds(1)), .error(.init(.engineFailed, "It broke."), at: .seconds(2)),
        ])
        let running = try ServerProgram(engine, wyoming: true)
        for fields in [["model=scripted"], ["stream=true"], ["response_format=srt"]] {
            _ = try await running.transcribe(tone, fields)
        }
        let client = try RawClient(port: running.server.wyomingPort)
        await client.send(WyomingMessage(type: "audio-start").bytes)
        for _ in 0..<20 {
            await client.send(WyomingMessage(type: "audio-chunk", payload: [UInt8](repeating: 0, count: 6_400)).bytes)
        }
        await client.send(WyomingMessage(type: "audio-stop").bytes)
        _ = await client.receiveAll()
        await running.server.stop(within: .milliseconds(100))
        #expect(running.log.value.count == 4, "\(running.log.value)")
        #expect(
            running.log.value.allSatisfy { !$0.json.contains("secret plan") && $0.error?.contains("It broke.") == true }
        )
    }
}
