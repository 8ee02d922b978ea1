#if Remote
import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationMessages
@testable import DictationRemote

/// Finals are never lost or doubled, whenever and however a connection breaks.
@Suite struct RecoveryTests {
    private static let words = 0..<8
    private static let text = CodedSpeech.text(words)

    private func server(_ ports: UInt16...) -> RemoteServer {
        var server = RemoteServer(addresses: ports.map { "ws://127.0.0.1:\($0)" })
        server.backOff = BackOff(first: .milliseconds(1), longest: .milliseconds(20))
        return server
    }

    private func engine(_ server: RemoteServer) throws -> RemoteEngine {
        try RemoteEngine(.sherpa, server, locales: ["en-US"])
    }

    /// The first connection is cut after each of the bytes that the server sends.
    @Test func aCutAtAnyByteOfTheAnswersLosesNothing() async throws {
        let buffers = CodedSpeech.buffers(words: Self.words)
        let whole = Counter()
        let counting = FakeSherpaServer(change: { text, _ in
            whole.add(text.utf8.count + 4)
            return [.text(text)]
        })
        let (counted, handshake) = (try counting.start(), 129)
        #expect(await hear(buffers, with: try engine(server(counted.port))).text == Self.text)
        let step = Trials.step(61)
        try await inParallel(Array(stride(from: 1, to: whole.value + handshake, by: step))) { count in
            let fake = FakeSherpaServer(prepare: { peer, number in if number == 1 { peer.sendLimit = count } })
            let cut = try fake.start()
            let heard = await hear(buffers, with: try engine(server(cut.port)), RemoteKind.sherpa.options)
            #expect(heard.text == Self.text && heard.error == nil, "cut after \(count) bytes: \(heard)")
            #expect(fake.samples.value <= 2 * buffers.reduce(0) { $0 + $1.frameCount })
        }
    }

    /// The first connection is cut after some of the bytes that the server receives.
    @Test(arguments: RemoteKind.allCases) func aCutInTheAudioLosesNothing(_ kind: RemoteKind) async throws {
        let buffers = CodedSpeech.buffers(words: Self.words)
        let whole = Counter()
        let counted = try kind.startServer { peer, _ in peer.count = { whole.add($0) } }
        #expect(await hear(buffers, with: try kind.engine(counted.port), kind.options).text == Self.text)
        let counts = Array(stride(from: 1, to: whole.value, by: Trials.step(29_989, thorough: 61)))
        try await inParallel(counts) { count in
            let cut = try kind.startServer { peer, number in if number == 1 { peer.receiveLimit = count } }
            let heard = await hear(buffers, with: try kind.engine(cut.port), kind.options)
            #expect(heard.text == Self.text && heard.error == nil, "cut after \(count) bytes: \(heard)")
        }
        print("\(kind): \(counts.count) cuts in \(whole.value) bytes of audio")
    }

    /// Hours in which there was no audio are not audio that must be sent again, or that waits for too long.
    @Test(arguments: [Int.max, 90_000, 100_000, 120_000])
    func aPauseOfHoursLosesAndDoublesNothing(_ limit: Int) async throws {
        let buffers = CodedSpeech.buffers(words: 0..<3) + CodedSpeech.buffers(words: 3..<8, from: .seconds(3 * 3_600))
        let fake = FakeSherpaServer(prepare: { peer, number in if number == 1 { peer.receiveLimit = limit } })
        let cut = try fake.start()
        let runtime = DictationRuntime.system
        let input = AudioInput {
            var rest = buffers[...]
            return { () async throws(DictationError) in
                // Each buffer arrives alone.
                try? await runtime.sleep(.milliseconds(2))
                return rest.popFirst()
            }
        }
        let heard = await hear(input, with: try engine(server(cut.port)), .liveDictation())
        #expect(heard.text == Self.text && heard.error == nil, "cut after \(limit) bytes: \(heard)")
    }

    @Test func aServerThatAlwaysBreaksOffIsGivenUp() async throws {
        let fake = FakeSherpaServer(prepare: { peer, _ in peer.receiveLimit = 20_000 })
        let broken = try fake.start()
        let buffers = CodedSpeech.buffers(words: Self.words)
        let heard = await hear(buffers, with: try engine(server(broken.port)))
        #expect(heard.error?.code == .serverUnavailable)
        #expect(fake.samples.value <= 2 * buffers.reduce(0) { $0 + $1.frameCount })
    }

    @Test func theNextServerTakesOver() async throws {
        let cut = try FakeSherpaServer(prepare: { peer, _ in peer.receiveLimit = 30_000 }).start()
        let good = try FakeSherpaServer().start()
        for _ in 0..<2 {
            let heard = await hear(
                CodedSpeech.buffers(words: Self.words), with: try engine(server(cut.port, good.port)))
            #expect(heard.text == Self.text && heard.error == nil, "\(heard)")
        }
    }

    @Test func sessionsAreSpread() async throws {
        let servers = try [FakeSherpaServer().start(), FakeSherpaServer().start()]
        let engine = try engine(server(servers[0].port, servers[1].port))
        for _ in 0..<4 { _ = await hear(CodedSpeech.buffers(words: 0..<2), with: engine) }
        #expect(servers.map(\.connections) == [2, 2])
    }

    @Test func volatileTextIsRevokedWhenTheConnectionIsLost() async throws {
        let fake = FakeSherpaServer(change: { text, number in
            // The first connection ends with the fifth word, which is volatile.
            text.contains("w4") && number == 1 ? [.close(code: 1_011, reason: "broken")] : [.text(text)]
        })
        let broken = try fake.start()
        let heard = await hear(CodedSpeech.buffers(words: Self.words), with: try engine(server(broken.port)))
        #expect(heard.text == Self.text && heard.error == nil)
        #expect(heard.interruptions.count == 1 && heard.interruptions[0].lost == nil)
        #expect(heard.interruptions.first?.cause.message.contains("broken") == true)
    }

    @Test func aServerThatIsNotThereIsAnErrorAtOnce() async throws {
        let gone = try FakeSherpaServer().start()
        gone.stop()
        let engine = try engine(server(gone.port))
        let thrown = await error { _ = try await engine.makeSession(.liveDictation()) }
        #expect(thrown?.code == .serverUnavailable)
        let prepared = await error { try await engine.prepare(.liveDictation()) }
        #expect(prepared?.code == .serverUnavailable)
    }

    @Test func aSilentServerIsGivenUpAtTheDeadline() async throws {
        let silent = try LoopbackServer { peer, _ in peer.waitForTheEnd() }
        var server = server(silent.port)
        server.responseTimeout = .milliseconds(50)
        let engine = try engine(server)
        let thrown = await error { _ = try await engine.makeSession(.liveDictation()) }
        #expect(thrown?.code == .serverUnavailable && thrown?.message.contains("does not answer") == true)
    }

    @Test(arguments: [
        ("401 Unauthorized\r\n", "serverRefused"), ("404 Not Found\r\n", "serverRefused"),
        ("302 Found\r\nLocation: ws://other\r\n", "serverRefused"), ("500 Oops\r\n", "serverUnavailable"),
        ("429 Slow down\r\nRetry-After: 0\r\n", "serverUnavailable"), ("200 OK\r\n", "serverAnswerInvalid"),
        ("101 Switching\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n", "serverAnswerInvalid"),
        ("banana\r\n", "serverAnswerInvalid"), (String(repeating: "x: y\r\n", count: 10_000), "serverAnswerInvalid"),
    ])
    func refusalsAreClearErrors(_ answer: String, _ code: String) async throws {
        let refusing = try LoopbackServer { peer, _ in
            guard peer.read() != nil else { return }
            peer.write(Array("HTTP/1.1 \(answer)\r\n".utf8))
            peer.waitForTheEnd()
        }
        let engine = try engine(server(refusing.port))
        let thrown = await error { _ = try await engine.makeSession(.liveDictation()) }
        #expect(thrown?.code.rawValue == code)
    }

    @Test func aConnectionMadeAheadIsUsed() async throws {
        let counted = try FakeSherpaServer().start()
        let engine = try engine(server(counted.port))
        try await engine.prepare(.liveDictation())
        #expect(await eventually { counted.connections == 1 })
        let heard = await hear(CodedSpeech.buffers(words: 0..<2), with: engine)
        #expect(heard.text == CodedSpeech.text(0..<2) && counted.connections == 1)
    }
}

/// How thorough tests with many trials are.
enum Trials {
    /// Returns the step between trials; with `DICTATION_TRIALS=all` the thorough one.
    static func step(_ usual: Int, thorough: Int = 1) -> Int {
        ProcessInfo.processInfo.environment["DICTATION_TRIALS"] == "all" ? thorough : usual
    }
}

/// Tries all values, some at a time.
func inParallel<Value: Sendable>(
    _ values: [Value], _ body: @escaping @Sendable (Value) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, value) in values.enumerated() {
            if index >= 8 { try await group.next() }
            group.addTask { try await body(value) }
        }
        try await group.waitForAll()
    }
}
#endif
