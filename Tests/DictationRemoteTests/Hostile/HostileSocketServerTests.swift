#if Remote
import DictationCore
import DictationMessages
import Foundation
import TestSupport
import Testing

@testable import DictationRemote

/// Servers with websockets that misbehave.
@Suite(.timeLimit(.minutes(4))) struct HostileSocketServerTests {
    /// Four utterances with pauses between them.
    private static func utterances(pause: Duration) -> [AudioBuffer] {
        let speech = Duration.milliseconds(1_200)
        return (0..<4).flatMap { (take: Int) -> [AudioBuffer] in
            let start = (speech + pause) * take
            let silence = Int(AudioFormat.speech.frames(in: pause))
            return CodedSpeech.buffers(words: 3 * take..<3 * take + 3, from: start)
                + [AudioBuffer(silence: silence, format: .speech, start: start + speech)]
        }
    }

    private let buffers = Self.utterances(pause: .milliseconds(2_800))
    private let text = CodedSpeech.text(0..<12)
    private var end: Duration { buffers.last?.end ?? .zero }

    @Test(arguments: RemoteKind.sockets) func messagesComeInCountlessFrames(_ kind: RemoteKind) async throws {
        let server = try kind.startServer { peer, _ in peer.change = HostileFrames.torn }
        let heard = await hear(buffers, with: try kind.engine(server.port), kind.options)
        #expect(heard.text == text && heard.error == nil && heard.interruptions.isEmpty, "\(heard)")
    }

    @Test(arguments: RemoteKind.sockets, [1, 3, 6])
    func afterNonsenseTheAudioIsSentAgain(_ kind: RemoteKind, after count: Int) async throws {
        let buffers = CodedSpeech.buffers(words: 0..<12)
        try await inParallel(HostileFrames.all) { [text, end] frame in
            let server = try kind.startServer { peer, number in
                if number == 1 { peer.change = HostileFrames.sabotage(after: count, with: frame.bytes) }
            }
            let engine = try kind.engine(server.port) { $0.responseTimeout = .seconds(8) }
            let heard = await hear(buffers, with: engine, kind.options)
            #expect(heard.text == text && heard.error == nil, "\(frame.name): \(heard)")
            #expect(heard.brokenPromises(end: end) == [], "\(frame.name)")
        }
    }

    /// A server can't say one thing twice. Vosk's messages have no name by which that could be seen.
    @Test(arguments: [RemoteKind.realtime, .sherpa]) func everyMessageComesTwice(_ kind: RemoteKind) async throws {
        let server = try kind.startLiar { text, _ in [.text(text), .text(text)] }
        let heard = await hear(buffers, with: try kind.engine(server.port), kind.options)
        #expect(heard.text == text && heard.error == nil, "\(heard)")
        #expect(heard.brokenPromises(end: end) == [])
    }

    /// Servers end sessions that are idle or old, here after each utterance. What is said meanwhile is sent to the next one.
    @Test(arguments: RemoteKind.sockets, [1_000, 1_001, 1_011, 1_012] as [UInt16])
    func eachUtteranceEndsItsConnection(_ kind: RemoteKind, code: UInt16) async throws {
        let server = try kind.startLiar { text, _ in
            let isLast = ["\"is_final\": true", ".completed", "\"result\" : [{"].contains { text.contains($0) }
            return [.text(text)] + (isLast ? [.close(code: code, reason: "old")] : [])
        }
        let buffers = Self.utterances(pause: .milliseconds(1_200))
        let input = AudioInput.live(buffers, since: DictationRuntime.system.now())
        let heard = await hear(input, with: try kind.engine(server.port), kind.options)
        #expect(heard.text == text && heard.error == nil, "\(heard)")
        #expect(heard.brokenPromises(end: end) == [] && server.connections >= 4)
    }

    @Test(arguments: RemoteKind.sockets) func pingsWithoutEnd(_ kind: RemoteKind) async throws {
        let server = try LoopbackServer { peer, _ in
            guard WebSocketPeer.accept(peer) != nil else { return }
            let pings = Array([[UInt8]](repeating: [0x89, 1, 0x70], count: 1_000).joined())
            while peer.write(pings) {}
        }
        let heard = await hear(buffers, with: try kind.engine(server.port) { $0.giveUpSoon() }, kind.options)
        #expect(heard.error?.code == .serverUnavailable && heard.finals.isEmpty, "\(heard)")
    }

    @Test(arguments: RemoteKind.sockets, ["HTTP/1.1 101 Switching Protocols\r\nX: ", "HTTP/1.1 1", ""])
    func anAnswerThatNeverEnds(_ kind: RemoteKind, _ start: String) async throws {
        let server = try LoopbackServer { peer, _ in
            guard peer.read() != nil, peer.write(Array(start.utf8)) else { return }
            while peer.rest(.milliseconds(20)), peer.write([97]) {}
        }
        let engine = try kind.engine(server.port) { $0.giveUpSoon() }
        let thrown = await error { _ = try await engine.makeSession(kind.options) }
        #expect(
            thrown?.code == .serverUnavailable || thrown?.code == .serverAnswerInvalid, "\(thrown as Any)")
    }

    @Test(arguments: [
        "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: KEY\r\nSec-WebSocket-Extensions: x\r\n\r\n",
        "HTTP/1.1 101 Switching\nUpgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Accept: KEY\n\n",
        "HTTP/1.1 101\r\nSec-WebSocket-Accept: KEY\r\nSec-WebSocket-Accept: x\r\nUpgrade: websocket\r\n\r\n",
        "HTTP/1.1 101 \u{301}\r\nupgrade:WebSocket\r\nconnection:upgrade\r\nsec-websocket-accept:KEY\r\n\r\n",
        "HTTP/1.1 999999999999999999999 X\r\n\r\n", "HTTP/1.1 -101 X\r\n\r\n", "HTTP/1.1 101 X\r\n\r\n",
        "\u{301}HTTP/1.1 101 X\r\n\r\n", "\r\n\r\n", "HTTP/1.1 101 X\r\nSec-WebSocket-Accept\r\n: KEY\r\n\r\n",
    ])
    func strangeAnswersToTheHandshakeEnd(_ answer: String) async throws {
        let server = try LoopbackServer { peer, _ in
            guard let request = peer.read() else { return }
            let lines = String(decoding: request, as: UTF8.self).split(separator: "\r\n")
            let key = lines.first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
            peer.write(Array(answer.replacing("KEY", with: WebSocketHandshake.answer(to: String(key))).utf8))
            peer.waitForTheEnd()
        }
        let engine = try RemoteKind.sherpa.engine(server.port) { $0.giveUpSoon() }
        // An answer that says the right thing in an odd way may be taken; then nothing follows.
        let heard = await hear(buffers, with: engine)
        #expect(heard.error != nil && heard.finals.isEmpty, "\(heard)")
    }

    /// The server says that it will send nothing more, and goes on reading.
    @Test(arguments: RemoteKind.allCases) func halfAConnectionIsNone(_ kind: RemoteKind) async throws {
        let honest = try kind.startServer()
        let server = try LoopbackServer { peer, number in
            if number > 1 { return peer.relay(toPort: honest.port) }
            peer.endSending()
            peer.waitForTheEnd()
        }
        let heard = await hear(buffers, with: try kind.engine(server.port), kind.options)
        #expect(heard.text == text && heard.error == nil, "\(heard)")
    }

    /// The server takes the connection and never reads its audio.
    @Test(arguments: RemoteKind.sockets) func audioThatNobodyReadsIsNotKeptWithoutEnd(_ kind: RemoteKind) async throws {
        let server = try LoopbackServer { peer, _ in
            guard let framing = WebSocketPeer.accept(peer) else { return }
            framing.send(.text(#"{"type":"session.created","session":{}}"#))
            let greeting = framing.output
            if kind == .realtime { peer.write(greeting) }
            while peer.rest(.seconds(60)) {}
        }
        let taken = Counter()
        let input = AudioInput {
            var start = Duration.zero
            return { () async throws(DictationError) in
                guard start < .seconds(3_600) else { return nil }
                let buffer = AudioBuffer(silence: 16_000, format: .speech, start: start)
                start = buffer.end
                taken.add(1)
                return buffer
            }
        }
        let heard = await hear(input, with: try kind.engine(server.port) { $0.giveUpSoon() }, kind.options)
        #expect(heard.error?.code == .serverUnavailable && heard.finals.isEmpty, "\(heard)")
        // Half an hour of audio is 58 MB.
        #expect(taken.value < 1_800, "\(taken.value) seconds of audio")
    }
}
#endif
