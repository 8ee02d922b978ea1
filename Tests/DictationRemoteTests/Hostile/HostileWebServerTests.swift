#if Remote
import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationRemote

/// Web servers with the OpenAI interface that misbehave.
@Suite(.timeLimit(.minutes(4))) struct HostileWebServerTests {
    private let buffers = CodedSpeech.buffers(words: 1..<4)
    private let text = CodedSpeech.text(1..<4)

    private func engine(
        _ ports: UInt16..., streams: Bool = false, change: (inout RemoteServer) -> Void = { _ in }
    ) throws -> RemoteEngine {
        var server = RemoteServer(addresses: ports.map { "http://127.0.0.1:\($0)" })
        server.backOff = BackOff(first: .milliseconds(1), longest: .milliseconds(20))
        server.token = SecretText("swordfish")
        server.proxy = ""
        change(&server)
        var dialect = streams ? OpenAIDialect.speaches : .openAI
        dialect.streams = streams
        return try RemoteEngine(.openAI, server, locales: ["en-US"]) { $0.dialect = dialect }
    }

    private func options(_ engine: RemoteEngine) -> RecognitionOptions {
        var options = RecognitionOptions()
        options.volatileResults = engine.capabilities.features.contains(.volatileResults)
        return options
    }

    /// Times to wait, and whether they are short ones or mean nothing.
    @Test(arguments: [
        ("0", true), ("-5", true), ("banana", true), ("", true), ("nan", true), ("0x10", true), ("\u{301}", true),
        ("1e300", false), ("99999999999999999999999", false), ("86400", false), ("inf", false),
        ("Wed, 21 Oct 2099 07:28:00 GMT", false),
    ])
    func whenToTryAgainMayBeNonsense(_ time: String, isShort: Bool) async throws {
        let fake = FakeOpenAIServer { request in
            request.number == 1
                ? .init(status: "429 Too Many", headers: "Retry-After: \(time)\r\n", body: "")
                : .init(body: #"{"text":"\#(request.text)"}"#)
        }
        let server = try fake.start()
        let engine = try engine(server.port) { $0.reconnectTimeout = isShort ? .seconds(30) : .milliseconds(500) }
        let heard = await hear(buffers, with: engine, options(engine))
        if isShort {
            #expect(heard.text == text && heard.error == nil, "\(heard)")
        } else {
            #expect(heard.error?.code == .serverUnavailable || heard.text == text, "\(heard)")
        }
    }

    @Test(arguments: ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
    func theTokenFollowsNoRedirection(_ status: String) async throws {
        let other = try LoopbackServer { peer, _ in peer.waitForTheEnd() }
        let fake = FakeOpenAIServer { _ in
            .init(status: status, headers: "Location: http://127.0.0.1:\(other.port)/v1\r\n", body: "")
        }
        let server = try fake.start()
        let engine = try engine(server.port)
        let heard = await hear(buffers, with: engine, options(engine))
        #expect(heard.error?.code == .serverRefused && other.connections == 0, "\(heard)")
        #expect(await error { try await engine.prepare(RecognitionOptions()) }?.code == .serverRefused)
        #expect(other.connections == 0)
    }

    private static func filler(_ count: Int) -> String { String(repeating: "a", count: count) }

    private static let events = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    /// How an answer that never ends begins, and what comes again and again.
    private static let endless: [(String, String)] = [
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "400\r\n\(filler(1_024))\r\n"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", filler(1_024)),
        ("HTTP/1.1 200 OK\r\n\r\n", filler(1_024)), ("HTTP/1.1 500 Oops\r\n\r\n", filler(1_024)),
        ("HTTP/1.1 200 OK\r\n", "X: \(filler(1_000))\r\n"), ("HTTP/1.1 200 OK\r\nX: ", filler(1_024)),
        ("", "HTTP/1.1 100 Continue\r\n\r\n"), (events, "data: {\"delta\":\"\(filler(1_000))\"}\n\n"),
        ("\(events)data: ", filler(1_024)), (events, ": still there\n\n"),
        (events, "data: {\"type\":\"transcript.text.delta\",\"delta\":\"\(filler(900)) \"}\n\n"),
    ]

    @Test(arguments: endless)
    func anAnswerWithoutEndIsGivenUp(_ start: String, _ more: String) async throws {
        let written = Counter()
        let block = Array(String(repeating: more, count: 64).utf8)
        let fake = FakeOpenAIServer { _ in
            .init(
                body: "",
                write: { peer in
                    guard peer.write(Array(start.utf8)) else { return }
                    // The last bytes may only lie in the socket.
                    while written.value < 400 << 20, peer.write(block) { written.add(block.count) }
                })
        }
        let server = try fake.start()
        let engine = try engine(server.port, streams: true) {
            ($0.recognitionTimeout, $0.reconnectTimeout) = (.seconds(2), .milliseconds(300))
        }
        let heard = await hear(buffers, with: engine, options(engine))
        // What was shown before may be kept, marked as incomplete.
        #expect(heard.error != nil && heard.finals.allSatisfy { !$0.isComplete }, "\(heard.error as Any)")
        #expect((heard.error.map { "\($0)".utf8.count } ?? 0) < 4_096)
        print("an answer without end: \(written.value >> 20) MB were taken")
    }

    @Test func anAnswerThatDripsIsGivenUp() async throws {
        let fake = FakeOpenAIServer { _ in
            .init(
                body: "",
                write: { peer in
                    guard peer.write(Array("HTTP/1.1 200 OK\r\n\r\n{\"text\":\"".utf8)) else { return }
                    while peer.rest(.milliseconds(20)), peer.write([97]) {}
                })
        }
        let server = try fake.start()
        let engine = try engine(server.port) { $0.giveUpSoon() }
        let heard = await hear(buffers, with: engine, options(engine))
        #expect(heard.error?.code == .serverUnavailable && heard.finals.isEmpty, "\(heard)")
    }

    private static let deltas =
        #"data: {"type":"transcript.text.delta","delta":"Grü"}"# + "\n\n"
        + #"data: {"type":"transcript.text.delta","delta":"ße 👍🏽"}"# + "\n\n"
    private static let done = #"data: {"type":"transcript.text.done","text":"Grüße 👍🏽"}"# + "\n\n"

    private static let whole = "\(deltas)\(done)"

    /// Streams that all mean the same text.
    private static let streams: [String] = [
        whole, whole.replacing("\n", with: "\r\n"), whole.replacing("\n", with: "\r"), done,
        whole.replacing("data: ", with: "data:"), "\(whole)\(done)", "\(whole)data: [DONE]\n\n", "\u{FEFF}\(whole)",
        ": hello\n\n\(deltas)event: x\nid: 1\nretry: 5\n\(done)", "\(deltas)\(done.dropLast(2))",
        "\(deltas)data: {\"type\":\"transcript.text.done\",\"text\":\"\"}\n\n",
        "\(deltas)data: {\"type\":\"transcript.text.done\",\ndata: \"text\":\"Grüße 👍🏽\"}\n\n",
        "\(deltas)data: {\"type\":\"ping\"}\n\n\(done)",
        "\(deltas)data: {\"type\":\"transcript.text.segment\",\"text\":\"x\"}\n\n\(done)",
    ]

    /// Their bytes come one by one.
    @Test(arguments: streams)
    func eventsMayBeCutAnywhere(_ events: String) async throws {
        let fake = FakeOpenAIServer { _ in
            .init(
                body: "",
                write: { peer in
                    let head =
                        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                    guard peer.write(Array(head.utf8)) else { return }
                    for byte in events.utf8 { guard peer.write(Array("1\r\n".utf8) + [byte, 13, 10]) else { return } }
                    peer.write(Array("0\r\n\r\n".utf8))
                })
        }
        let server = try fake.start()
        let engine = try engine(server.port, streams: true)
        let heard = await hear(buffers, with: engine, options(engine))
        #expect(heard.text == "Grüße 👍🏽" && heard.error == nil, "\(heard)")
        #expect(fake.requests.all.count == 1)
    }

    /// Half of the text is none: a stream has to say that it is complete.
    @Test(arguments: [
        "", "data: {\"error\":{\"message\":\"out of memory\"}}\n\n", "data: {\"error\":\"out of memory\"}\n\n",
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"out of memory\"}}\n\n", "data: {\n\n",
    ])
    func aStreamWithoutItsEndIsAskedForAgain(_ end: String) async throws {
        let fake = FakeOpenAIServer { request in
            .init(type: "text/event-stream", body: Self.deltas + (request.number == 1 ? end : Self.done))
        }
        let server = try fake.start()
        let engine = try engine(server.port, streams: true)
        let heard = await hear(buffers, with: engine, options(engine))
        #expect(heard.text == "Grüße 👍🏽" && heard.error == nil, "\(heard)")
        #expect(fake.requests.all.count == 2)
    }

    private static let bodies: [[UInt8]] = [
        [UInt8](repeating: 91, count: 200_000), Array(String(repeating: #"{"text":"#, count: 50_000).utf8),
        Array(#"{"text":"a"#.utf8), [0], [], [0xFF, 0xC3], [123, 34, 116, 101, 120, 116, 34, 58, 34, 0xFF, 34, 125],
    ]

    private static let texts = [
        #"{"text":{"a":1}}"#, #"{"text":null}"#, "null", "\"\"", #"{"text":"\ud800"}"#, #"{"text":"a","text":"b"}"#,
        "\u{FEFF}{\"text\":\"a\"}", #"{"text":"a","segments":5,"words":{},"duration":[]}"#, "<html>",
    ]

    @Test(arguments: bodies + texts.map { Array($0.utf8) })
    func aBodyThatMeansNothingIsAnError(_ body: [UInt8]) async throws {
        let fake = FakeOpenAIServer { _ in
            .init(
                body: "",
                write: { peer in
                    peer.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
                })
        }
        let server = try fake.start()
        let engine = try engine(server.port) { $0.tryAgainBriefly() }
        let heard = await hear(buffers, with: engine, options(engine))
        #expect(heard.brokenPromises(end: buffers.last?.end ?? .zero) == [])
        #expect(heard.error.map { $0.code == .serverAnswerInvalid } ?? true, "\(heard)")
    }

    /// A server may send the token back, as some do that want to help.
    @Test(arguments: ["401 Unauthorized", "400 Bad Request", "500 Oops", "429 Slow"])
    func noErrorHasTheToken(_ status: String) async throws {
        let fake = FakeOpenAIServer { request in
            let token = request.headers["authorization"] ?? ""
            return .init(status: status, body: #"{"error":{"message":"The key “\#(token)” is wrong."}}"#)
        }
        let server = try fake.start()
        let engine = try engine(server.port) { $0.giveUpSoon() }
        let heard = await hear(buffers, with: engine, options(engine))
        let prepared = await error { try await engine.prepare(RecognitionOptions()) }
        for error in [heard.error, prepared] {
            let error = try #require(error)
            var dumped = ""
            dump(error, to: &dumped)
            for text in ["\(error)", error.message, dumped] { #expect(!text.contains("swordfish"), "\(text)") }
        }
    }

    @Test func whatAServerSaysIsShortAndOnOneLine() async throws {
        let fake = FakeOpenAIServer { _ in
            // A letter with countless accents is one letter.
            let accents = String(repeating: "\u{301}", count: 20_000)
            let message = #"\u001b[2J\nforged: line\r\u202e\u0000e\#(accents)"#
            return .init(status: "400 Bad\u{1B}[2J", body: #"{"error":{"message":"\#(message)"}}"#)
        }
        let server = try fake.start()
        let engine = try engine(server.port)
        let heard = await hear(buffers, with: engine, options(engine))
        let said = try #require(heard.error.map { "\($0)" })
        #expect(said.utf8.count < 8_192, "\(said.utf8.count) bytes")
        #expect(said.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 0x202E })
    }

    @Test func aProxysPasswordIsInNoError() async throws {
        let said = await error {
            let engine = try engine(1) {
                $0.proxy = "http://user:swordfish@127.0.0.1:1"
                $0.token = nil
                $0.giveUpSoon()
            }
            try await engine.prepare(RecognitionOptions())
        }
        #expect(said.map { !"\($0)".contains("swordfish") } == true, "\(said as Any)")
    }
}
#endif
