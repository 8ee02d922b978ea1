#if Remote
import DictationCore
import DictationMessages
import DictationTesting
import DictationText
import TestSupport
import Testing

@testable import DictationRemote

/// A server of the Wyoming protocol that recognizes ``CodedSpeech``.
struct FakeWyomingServer: FakeServer {
    var info: [String: JSONValue] = [
        "asr": .list([
            .object([
                "name": .text("fake"),
                "models": .list([.object(["name": .text("coded"), "languages": .list([.text("en")])])]),
            ])
        ])
    ]
    /// Changes the answers to a take before they are sent.
    var change: @Sendable (_ transcript: WyomingMessage, _ connection: Int) -> [WyomingMessage] = { message, _ in
        [message]
    }
    var prepare: @Sendable (_ peer: Peer, _ connection: Int) -> Void = { _, _ in }
    let samples = Counter()

    func serve(_ peer: Peer, _ number: Int) {
        var reader = WyomingReader()
        var recognizer = CodedSpeech.Recognizer()
        while let bytes = peer.read() {
            reader.append(bytes)
            while let message = try? reader.next() {
                switch message.type {
                case "describe":
                    guard peer.write(WyomingMessage(type: "info", data: info).bytes) else { return }
                case "audio-chunk":
                    samples.add(message.payload.count / 2)
                    for sample in CodedSpeech.samples(message.payload) { _ = recognizer.take(sample) }
                case "audio-stop":
                    let transcript = WyomingMessage(type: "transcript", data: ["text": .text(recognizer.text)])
                    let answers = change(transcript, number)
                    for answer in answers { guard peer.write(answer.bytes) else { return } }
                    return answers.isEmpty ? peer.waitForTheEnd() : ()
                default: break
                }
            }
        }
    }
}

private func engine(
    _ servers: LoopbackServer..., change: (inout RemoteServer) -> Void = { _ in }
) throws -> RemoteEngine {
    var server = RemoteServer(addresses: servers.map { "tcp://127.0.0.1:\($0.port)" })
    server.backOff = BackOff(first: .milliseconds(1), longest: .milliseconds(20))
    change(&server)
    return try RemoteEngine(.wyoming, server, locales: ["en-US"])
}

@Suite struct WyomingEngineTests {
    /// Speech with pauses after the third and the seventh word.
    static var buffers: [AudioBuffer] {
        let pause = [Int16](repeating: 0, count: 32_000)
        let samples =
            CodedSpeech.audio(words: 1..<4) + pause + CodedSpeech.audio(words: 4..<8) + pause
            + CodedSpeech.audio(words: 8..<10)
        return stride(from: 0, to: samples.count, by: 1_600).map { index in
            AudioBuffer(
                Array(samples[index..<min(samples.count, index + 1_600)]),
                start: AudioFormat.speech.duration(ofFrames: Int64(index)))
        }
    }
    static let text = CodedSpeech.text(1..<10)

    @Test func speechIsCutAtPauses() async throws {
        let server = try FakeWyomingServer().start()
        let heard = await hear(Self.buffers, with: try engine(server), RecognitionOptions())
        #expect(heard.finals.map(\.text) == [1..<4, 4..<8, 8..<10].map { CodedSpeech.text($0) }, "\(heard)")
        #expect(server.connections == 3)
    }

    @Test func manyRequestsAtOnceKeepTheOrder() async throws {
        let server = try FakeWyomingServer().start()
        let engine = try engine(server)
        var buffers: [AudioBuffer] = []
        for take in 0..<6 {
            let start = Duration.seconds(10 * take)
            buffers += CodedSpeech.buffers(words: (10 * take + 1)..<(10 * take + 6), from: start)
        }
        let results = Watched<[SpeechResult]>([])
        try await engine.transcribe(
            AudioInput(buffers), options: .fileTranscription(), workers: 4,
            into: ResultSink {
                update in
                if let result = update.finalResult { results.change { $0.append(result) } }
            })
        let texts = results.value.map(\.text).joined(separator: " ")
        #expect(texts == (0..<6).map { CodedSpeech.text((10 * $0 + 1)..<(10 * $0 + 6)) }.joined(separator: " "))
    }

    @Test func aCutAtAnyByteLosesNothing() async throws {
        let whole = 600
        try await inParallel(Array(stride(from: 0, to: whole, by: Trials.step(83)))) { count in
            let fake = FakeWyomingServer(prepare: { peer, number in if number <= 2 { peer.sendLimit = count } })
            let cut = try fake.start()
            let heard = await hear(Self.buffers, with: try engine(cut), RecognitionOptions())
            #expect(heard.text == Self.text && heard.error == nil, "cut after \(count) bytes: \(heard)")
            #expect(fake.samples.value <= 2 * Self.buffers.reduce(0) { $0 + $1.frameCount })
        }
    }

    @Test func theNextServerTakesOver() async throws {
        let broken = try FakeWyomingServer(prepare: { peer, _ in peer.sendLimit = 10 }).start()
        let good = try FakeWyomingServer().start()
        let heard = await hear(Self.buffers, with: try engine(broken, good), RecognitionOptions())
        #expect(heard.text == Self.text && heard.error == nil)
    }

    @Test func whatTheServerSaysIsInTheError() async throws {
        let failing = try FakeWyomingServer(change: { _, _ in
            [WyomingMessage(type: "error", data: ["text": .text("out of memory"), "code": .text("oom")])]
        }).start()
        let heard = await hear(Self.buffers, with: try engine(failing), RecognitionOptions())
        #expect(heard.error?.code == .serverUnavailable)
        #expect(heard.error?.message.contains("out of memory") == true && heard.finals.isEmpty)
    }

    @Test func aServerWithoutRecognitionIsRefusedAhead() async throws {
        let speaking = try FakeWyomingServer(info: ["tts": .list([])]).start()
        let engine = try engine(speaking)
        let thrown = await error { try await engine.prepare(RecognitionOptions()) }
        #expect(thrown?.code == .serverRefused)
    }

    @Test func somethingElseThanWyomingIsAClearError() async throws {
        let web = try LoopbackServer { peer, _ in
            peer.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            peer.waitForTheEnd()
        }
        let engine = try engine(web)
        let thrown = await error { try await engine.prepare(RecognitionOptions()) }
        #expect(thrown?.code == .serverAnswerInvalid)
    }
}

@Suite(.serialized) struct WyomingEngineConformanceProofTests {
    @Test func itConforms() async throws {
        let server = try FakeWyomingServer().start()
        let failing = try FakeWyomingServer(change: { _, _ in [WyomingMessage(type: "error")] }).start()
        let stalling = try FakeWyomingServer(change: { _, _ in [] }).start()
        var suite = EngineConformance(
            try engine(server), audio: WyomingEngineTests.buffers, options: RecognitionOptions(),
            failing: try engine(failing) { $0.reconnectTimeout = .milliseconds(50) }, stalling: try engine(stalling))
        suite.shortTimeout = .milliseconds(200)
        let report = try await suite.run()
        #expect(report.conforms, "\(report)")
    }
}
#endif
