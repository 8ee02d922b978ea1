#if Remote
import DictationCore
import DictationMessages
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationRemote

/// A server of the OpenAI interface that streams audio. It recognizes ``CodedSpeech``.
struct FakeRealtimeServer: FakeServer {
    /// How it greets: the original, or as servers of the former version do.
    var greeting = #"{"type":"session.created","session":{"type":"transcription","id":"s"}}"#
    /// Whether each second item is completed before the first.
    var isCrossed = false
    /// Whether it tells each word as soon as it recognizes it, before the commit.
    var isEager = false
    /// The number of pings that it answers before it completes an item.
    var pingCount = 0
    var change: @Sendable (_ text: String, _ connection: Int) -> [WebSocketMessage] = { text, _ in [.text(text)] }
    var prepare: @Sendable (_ peer: Peer, _ connection: Int) -> Void = { _, _ in }
    let samples = Counter()

    func serve(_ peer: Peer, _ number: Int) {
        guard let framing = WebSocketPeer.accept(peer) else { return }
        var recognizer = CodedSpeech.Recognizer()
        var (items, held) = (0, [String]())
        func send(_ text: String) { for message in change(text, number) { framing.send(message) } }
        send(greeting)
        var pings = 0
        while let messages = WebSocketPeer.exchange(framing, with: peer) {
            // libwslay answers a ping, which is no message.
            if messages.isEmpty, !held.isEmpty { pings += 1 }
            if pingCount > 0, pings >= pingCount {
                for text in held { send(text) }
                (held, pings) = ([], 0)
            }
            for message in messages {
                guard case .text(let text) = message,
                    let request = try? JSONDecoder().decode(OpenAIRealtimeMessage.self, from: Data(text.utf8))
                else { return }
                switch request.type {
                case OpenAIRealtimeMessage.Request.append:
                    let audio = Array(Data(base64Encoded: request.audio ?? "") ?? Data())
                    samples.add(audio.count / 2)
                    for sample in CodedSpeech.samples(audio) {
                        guard recognizer.take(sample), isEager, let word = recognizer.words.last else { continue }
                        send(Self.event("delta", items + 1, #""delta":"w\#(word.number) ""#))
                    }
                case OpenAIRealtimeMessage.Request.commit:
                    items += 1
                    let words = recognizer.words.map { "w\($0.number)" }
                    recognizer.reset()
                    send(#"{"type":"input_audio_buffer.committed","item_id":"i\#(items)","previous_item_id":null}"#)
                    for word in isEager ? [] : words {
                        send(Self.event("delta", items, #""delta":"\#(word) ""#))
                    }
                    let last = Self.event("completed", items, #""transcript":"\#(words.joined(separator: " "))""#)
                    if isCrossed && items % 2 == 1 || pingCount > 0 {
                        held.append(last)
                    } else {
                        for text in [last] + held { send(text) }
                        held = []
                    }
                default: break
                }
            }
        }
    }

    static func event(_ name: String, _ item: Int, _ member: String) -> String {
        """
        {"type":"conversation.item.input_audio_transcription.\(name)","item_id":"i\(item)","content_index":0,\(member)}
        """
    }
}

private func engine(
    _ server: LoopbackServer, change: (inout RemoteServer) -> Void = { _ in }
) throws -> RemoteEngine {
    var remote = RemoteServer("ws://127.0.0.1:\(server.port)")
    remote.backOff = BackOff(first: .milliseconds(1), longest: .milliseconds(20))
    remote.responseTimeout = .seconds(5)
    remote.proxy = ""
    change(&remote)
    return try RemoteEngine(.openAI, remote, locales: ["en-US"]) {
        $0.isRealtime = true
        $0.sampleRate = 16_000
    }
}

@Suite struct OpenAIRealtimeTests {
    /// Four utterances with long pauses between them.
    fileprivate static let buffers: [AudioBuffer] = (0..<4).flatMap { (take: Int) -> [AudioBuffer] in
        let start = Duration.seconds(4 * take)
        let speech = CodedSpeech.buffers(words: 3 * take..<3 * take + 3, from: start)
        return speech + [AudioBuffer(silence: 44_800, format: .speech, start: start + .milliseconds(1_200))]
    }
    private static let texts: [String] = (0..<4).map { CodedSpeech.text(3 * $0..<3 * $0 + 3) }

    @Test(arguments: [false, true]) func utterancesComeInOrder(_ isCrossed: Bool) async throws {
        let server = try FakeRealtimeServer(isCrossed: isCrossed).start()
        let buffers = isCrossed ? Array(Self.buffers.dropLast()) : Self.buffers
        let heard = await hear(buffers, with: try engine(server))
        let texts: [String] = heard.finals.map(\.text)
        #expect(texts == Self.texts && heard.error == nil, "\(heard)")
        #expect(heard.volatileCount >= 4 && server.connections == 1)
        for (index, result) in heard.finals.enumerated() {
            let begin = Duration.seconds(4 * index)
            #expect(result.range.lowerBound >= begin - .seconds(3))
            #expect(result.range.upperBound <= begin + .seconds(4))
        }
    }

    @Test func textBeforeTheCommitIsShown() async throws {
        let server = try FakeRealtimeServer(isEager: true).start()
        let heard = await hear(Self.buffers, with: try engine(server))
        #expect(heard.finals.map(\.text) == Self.texts && heard.error == nil, "\(heard)")
        let address = "ws://example.org"
        var dialect = OpenAIRealtimeDialect(.any, .liveDictation(), format: .speech, of: address)
        let audio = AudioBuffer(silence: 1_600, format: .speech)
        #expect(dialect.send(audio).count == 1)
        let deltas: [RemoteEvent] = try ["go", " on"].flatMap {
            try dialect.receive(.text(FakeRealtimeServer.event("delta", 1, #""delta":"\#($0)""#)))
        }
        let shown: [RemoteEvent] = ["go", "go on"].map {
            .update(.volatile(SpeechResult(range: .zero..<audio.end, text: $0)))
        }
        #expect(deltas == shown && dialect.finalize().count == 1)
        let last = try dialect.receive(.text(FakeRealtimeServer.event("completed", 1, #""transcript":"go on.""#)))
        #expect(last.first == .update(.final(SpeechResult(range: .zero..<audio.end, text: "go on."))))
    }

    @Test func aServerOfTheFormerVersionIsUnderstood() async throws {
        let server = try FakeRealtimeServer(greeting: #"{"type":"transcription_session.created","session":{}}"#).start()
        let heard = await hear(Self.buffers, with: try engine(server))
        #expect(heard.finals.map(\.text) == Self.texts && heard.error == nil, "\(heard)")
    }

    @Test func aCutAtAnyByteLosesNothing() async throws {
        try await inParallel(Array(stride(from: 1, to: 3_000, by: Trials.step(397)))) { count in
            let fake = FakeRealtimeServer(prepare: { peer, number in if number == 1 { peer.sendLimit = count } })
            let cut = try fake.start()
            let heard = await hear(Self.buffers, with: try engine(cut))
            #expect(heard.finals.map(\.text) == Self.texts, "cut after \(count) bytes: \(heard)")
            #expect(fake.samples.value <= 2 * Self.buffers.reduce(0) { $0 + $1.frameCount })
        }
    }

    /// Three times as long as a silent server is waited for.
    @Test func aServerThatIsSlowButAliveIsWaitedFor() async throws {
        let server = try FakeRealtimeServer(pingCount: 9).start()
        let buffers = CodedSpeech.buffers(words: 0..<3)
        let heard = await hear(buffers, with: try engine(server) { $0.responseTimeout = .milliseconds(300) })
        #expect(heard.text == CodedSpeech.text(0..<3) && heard.error == nil, "\(heard)")
        #expect(heard.interruptions.isEmpty && server.connections == 1)
    }

    @Test func aServerThatOnlyAnswersPingsIsGivenUp() async throws {
        let server = try FakeRealtimeServer(pingCount: .max).start()
        let engine = try engine(server) {
            $0.responseTimeout = .milliseconds(300)
            $0.recognitionTimeout = .milliseconds(600)
        }
        let heard = await hear(CodedSpeech.buffers(words: 0..<3), with: engine)
        #expect(heard.error?.code == .serverUnavailable && heard.error?.message.contains("does not finish") == true)
    }

    @Test func aWrongModelIsAClearError() async throws {
        let server = try FakeRealtimeServer(change: { text, _ in
            guard text.contains("session.created") else { return [] }
            return [.text(#"{"type":"error","error":{"type":"invalid_request_error","message":"No such model."}}"#)]
        }).start()
        let engine = try engine(server)
        let thrown = await error { _ = try await engine.makeSession(.liveDictation()) }
        #expect(thrown?.code == .serverRefused && thrown?.message.contains("No such model.") == true)
    }
}

@Suite(.serialized) struct OpenAIRealtimeConformanceProofTests {
    @Test func itConforms() async throws {
        let server = try FakeRealtimeServer().start()
        let failing = try FakeRealtimeServer(change: { text, _ in
            [.text(text.contains("created") ? text : #"{"type":"error","error":{"type":"invalid_request_error"}}"#)]
        }).start()
        let stalling = try FakeRealtimeServer(change: { text, _ in
            text.contains("completed") ? [] : [.text(text)]
        }).start()
        var suite = EngineConformance(
            try engine(server), audio: OpenAIRealtimeTests.buffers, failing: try engine(failing),
            stalling: try engine(stalling))
        suite.shortTimeout = .milliseconds(200)
        let report = try await suite.run()
        #expect(report.conforms, "\(report)")
    }
}
#endif
