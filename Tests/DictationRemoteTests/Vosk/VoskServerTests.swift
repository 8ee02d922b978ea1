#if Remote
import DictationCore
import DictationMessages
import DictationTesting
import Testing

@testable import DictationRemote

/// A server with the messages of Vosk's that recognizes ``CodedSpeech``.
struct FakeVoskServer: FakeServer {
    /// A text in a message at which the server gets stuck.
    var stallsAt: String?
    var change: @Sendable (_ text: String, _ connection: Int) -> [WebSocketMessage] = { text, _ in [.text(text)] }
    var prepare: @Sendable (_ peer: Peer, _ connection: Int) -> Void = { _, _ in }
    let samples = Counter()

    func serve(_ peer: Peer, _ number: Int) {
        guard let framing = WebSocketPeer.accept(peer) else { return }
        var recognizer = CodedSpeech.Recognizer()
        var isOver = false
        while let messages = WebSocketPeer.exchange(framing, with: peer, isOver: isOver) {
            for message in messages {
                var answer: String?
                switch message {
                case .binary(let audio):
                    samples.add(audio.count / 2)
                    var hasEnded = false
                    for sample in CodedSpeech.samples(audio) {
                        _ = recognizer.take(sample)
                        hasEnded = hasEnded || recognizer.isEndpoint
                    }
                    answer = hasEnded ? Self.result(recognizer) : "{\"partial\" : \"\(recognizer.text)\"}"
                    if hasEnded { recognizer.reset() }
                case .text("{\"eof\" : 1}"):
                    answer = Self.result(recognizer)
                    isOver = true
                case .text(let text): if !text.contains("\"sample_rate\":16000") { return }
                case .close: return
                }
                if let answer, let stallsAt, answer.contains(stallsAt) { return peer.waitForTheEnd() }
                for message in answer.map({ change($0, number) }) ?? [] { framing.send(message) }
            }
        }
    }

    private static func result(_ recognizer: CodedSpeech.Recognizer) -> String {
        let start = Double(recognizer.origin) / 16_000
        let words = recognizer.words.map { word in
            """
            {"conf" : 0.9, "start" : \(start + word.second), "end" : \(start + word.second + 0.2), \
            "word" : "w\(word.number)"}
            """
        }
        return "{\"result\" : [\(words.joined(separator: ", "))], \"text\" : \"\(recognizer.text)\"}"
    }
}

private func engine(
    _ server: LoopbackServer, change: (inout RemoteServer) -> Void = { _ in }
) throws -> RemoteEngine {
    var remote = RemoteServer("ws://127.0.0.1:\(server.port)")
    remote.backOff = BackOff(first: .milliseconds(1), longest: .milliseconds(20))
    remote.responseTimeout = .seconds(5)
    change(&remote)
    return try RemoteEngine(.vosk, remote, locales: ["en-US"])
}

@Suite struct VoskServerTests {
    @Test func wordsHaveTimesAndConfidence() async throws {
        let server = try FakeVoskServer().start()
        var options = RecognitionOptions.liveDictation()
        options.wordTimes = true
        options.wordConfidence = true
        let buffers = CodedSpeech.buffers(words: 0..<4) + CodedSpeech.buffers(words: 4..<6, from: .seconds(30))
        let heard = await hear(buffers, with: try engine(server), options)
        #expect(heard.error == nil && heard.volatileCount > 0)
        #expect(heard.finals.map(\.text) == ["w0 w1 w2", "w3", "w4 w5"])
        let words = heard.finals.flatMap(\.words)
        #expect(words.map { $0.range?.lowerBound } == [0, 400, 800, 1_200, 30_000, 30_400].map { .milliseconds($0) })
        #expect(words.allSatisfy { $0.confidence == 0.9 })
        // The server closes the connection at the end of a stretch.
        #expect(server.connections == 2)
    }

    @Test func aCutAtAnyByteLosesNothing() async throws {
        let buffers = CodedSpeech.buffers(words: 0..<8)
        try await inParallel(Array(stride(from: 1, to: 3_000, by: Trials.step(397)))) { count in
            let fake = FakeVoskServer(prepare: { peer, number in if number == 1 { peer.sendLimit = count } })
            let cut = try fake.start()
            let heard = await hear(buffers, with: try engine(cut))
            #expect(heard.text == CodedSpeech.text(0..<8) && heard.error == nil, "cut after \(count) bytes: \(heard)")
            #expect(fake.samples.value <= 2 * buffers.reduce(0) { $0 + $1.frameCount })
        }
    }
}

@Suite(.serialized) struct VoskServerConformanceProofTests {
    @Test func itConforms() async throws {
        let server = try FakeVoskServer().start()
        let failing = try FakeVoskServer(change: { _, _ in [.text("{}")] }).start()
        let stalling = try FakeVoskServer(stallsAt: "w3").start()
        var suite = EngineConformance(
            try engine(server), audio: CodedSpeech.buffers(words: 0..<10),
            failing: try engine(failing) { $0.reconnectTimeout = .milliseconds(50) }, stalling: try engine(stalling))
        suite.shortTimeout = .milliseconds(200)
        let report = try await suite.run()
        #expect(report.conforms, "\(report)")
    }
}
#endif
