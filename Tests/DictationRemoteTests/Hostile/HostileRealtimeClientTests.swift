#if Remote || Server
import DictationCore
import DictationEngines
import DictationMessages
import DictationText
import TestSupport
import Testing

@testable import DictationRemote
@testable import DictationServer

/// Clients of the realtime interface that do what they should not.
@Suite(.timeLimit(.minutes(4))) struct HostileRealtimeClientTests {
    private static func update(_ input: String) -> String {
        #"{"type":"session.update","session":{"type":"transcription","audio":{"input":{\#(input)}}}}"#
    }

    private static let good = RealtimeClient.settings
    private static func append(_ audio: String) -> String {
        #"{"type":"input_audio_buffer.append","audio":\#(audio)}"#
    }

    private static let commit = RealtimeClient.commit
    private static let clear = #"{"type":"input_audio_buffer.clear"}"#
    private static let some = append(#""AAAA""#)

    /// Two seconds of audio become text.
    private func expectText(_ client: RealtimeClient, _ comment: String) async {
        await client.send(Self.good)
        await client.sendAudio(.seconds(2))
        await client.send(Self.commit)
        let text = await client.event("transcription.completed")?["transcript"]
        #expect(text == .text("one two three four"), "\(comment)")
    }

    private static let nonsense: [String] = [
        "", "null", "[]", "{", "{}", "5", #"{"type":1}"#, #"{"type":"unknown"}"#, #"{"type":"session.update\#u{301}"}"#,
        String(repeating: "[", count: 100_000), append("null"), append("5"), append(#""!!!!""#), append(#""A""#),
        append(#""=AAA""#), append(#""AA==""#), update(#""format":{"type":"audio/opus"}"#),
        update(#""format":{"type":"audio/pcm","rate":0}"#), update(#""format":{"type":"audio/pcm","rate":-24000}"#),
        update(#""format":{"type":"audio/pcm","rate":1e300}"#), update(#""format":{"type":"audio/pcm","rate":1.5}"#),
        update(#""format":{"type":"audio/pcm","rate":9223372036854775807}"#), update(#""format":5"#),
        update(#""transcription":{"model":"unknown"}"#), update(#""transcription":{"language":"tlh"}"#),
        update(#""transcription":{"model":"scripted","prompt":"Dashwood"}"#), update(#""turn_detection":5"#),
        #"{"type":"session.update","session":[]}"#, commit,
    ]

    @Test(arguments: nonsense)
    func nonsenseIsAnErrorAndTheConnectionGoesOn(_ text: String) async throws {
        let running = try ServerProgram()
        let client = try await RealtimeClient.open(running)
        await client.send(text)
        let message = await client.event("error")?["error"]?["message"]?.text
        #expect(message?.isEmpty == false, "\(text.prefix(200))")
        await expectText(client, "\(text.prefix(200))")
        await running.server.stop(within: .milliseconds(100))
    }

    /// Messages in an order that no client should choose.
    private static let orders: [[String]] = [
        [clear], [clear, clear, commit], [append(#""""#)], [good, good, good], [some, good], [good, some, clear],
        [good, some, update(#""format":{"type":"audio/pcm","rate":8000}"#)], [some, commit, commit, commit],
        [good, some, update(#""turn_detection":{"type":"server_vad"}"#)], [#"{"type":"session.update"}"#],
    ]

    @Test(arguments: orders)
    func anyOrderIsAnsweredOrRefused(_ messages: [String]) async throws {
        let running = try ServerProgram()
        let client = try await RealtimeClient.open(running)
        for message in messages { await client.send(message) }
        await client.send(.close(code: 1_000, reason: ""))
        var last: WebSocketMessage?
        while let message = await client.next() { last = message }
        guard case .close = last else {
            Issue.record("The server did not say goodbye: \(last as Any)")
            return
        }
        await expectText(try await RealtimeClient.open(running), "\(messages)")
        await running.server.stop(within: .milliseconds(100))
        #expect(running.server.streamCount == 0)
    }

    @Test func framesThatBreakTheProtocolEndTheConnectionAlone() async throws {
        let running = try ServerProgram()
        for frame in HostileFrames.all {
            let client = try await RealtimeClient.open(running)
            // A server's frames are not masked, so a client must not send them.
            await client.sendRaw(frame.bytes)
            await client.send(.close(code: 1_000, reason: ""))
            while await client.next() != nil {}
            #expect(await eventually { running.server.streamCount == 0 }, "\(frame.name)")
        }
        await expectText(try await RealtimeClient.open(running), "after all")
        await running.server.stop(within: .milliseconds(100))
    }

    @Test func aLargeMessageIsTakenAndALargerOneRefused() async throws {
        let running = try ServerProgram(ScriptedEngine([.final("words", at: .seconds(1))]))
        let client = try await RealtimeClient.open(running)
        await client.send(Self.good)
        // Four minutes at 24 kHz are 15.4 MB as base64.
        await client.sendAudio(.seconds(240))
        await client.send(Self.commit)
        #expect(await client.event("transcription.completed")?["transcript"] == .text("words"))
        // The beginning of a message of 17 MiB.
        await client.sendRaw([0x81, 0xFF, 0, 0, 0, 0, 0x01, 0x10, 0, 0, 0, 0, 0, 0, 65])
        var last: WebSocketMessage?
        while let message = await client.next() { last = message }
        guard case .close(1_009, _)? = last else {
            Issue.record("The server did not say why: \(last as Any)")
            return
        }
        await running.server.stop(within: .milliseconds(100))
    }

    /// A large message that never ends takes the room of others. It is refused, whatever its client sends meanwhile.
    @Test func largeMessagesMustArriveInTime() async throws {
        let running = try ServerProgram { $0.limits.idleTimeout = .seconds(1) }
        let client = try await RealtimeClient.open(running)
        // The beginning of a message of 128 KiB.
        await client.sendRaw([0x81, 0xFF, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 65])
        #expect(await client.dripUntilTheEnd())
        await expectText(try await RealtimeClient.open(running), "after that")
        await running.server.stop(within: .milliseconds(100))
    }

    /// The client whose message finds no room is told, and small messages always have room.
    @Test func largeMessagesNeedRoom() async throws {
        let running = try ServerProgram {
            ($0.limits.messageByteCount, $0.limits.idleTimeout) = (100_000, .seconds(2))
        }
        let client = try await RealtimeClient.open(running)
        await client.send(Self.good)
        await client.sendAudio(.seconds(4))
        #expect(await client.event("error")?["error"]?["code"] == .text("server_busy"))
        let last = await client.next()
        #expect(last == .close(code: 1_013, reason: ""))
        let other = try await RealtimeClient.open(running)
        await other.send(Self.good)
        for _ in 0..<4 { await other.sendAudio(.milliseconds(500)) }
        await other.send(Self.commit)
        #expect(await other.event("transcription.completed")?["transcript"] == .text("one two three four"))
        await running.server.stop(within: .milliseconds(100))
    }

    @Test func aStopEndsEveryConversation() async throws {
        let running = try ServerProgram()
        let clients = [try await RealtimeClient.open(running), try await RealtimeClient.open(running)]
        await clients[0].send(Self.good)
        await clients[0].sendAudio(.seconds(1))
        #expect(await eventually { running.server.streamCount == 1 })
        await running.server.stop(within: .milliseconds(100))
        for client in clients { while await client.next() != nil {} }
        #expect(running.server.streamCount == 0)
    }

    @Test func manyClientsComeAndGo() async throws {
        let engine = ScriptedEngine()
        let running = try ServerProgram(engine) { ($0.limits.streams, $0.limits.perClient) = (8, 8) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                if number >= 12 { try await group.next() }
                group.addTask {
                    let client = try await RealtimeClient(port: running.server.httpPort)
                    await client.send(Self.good)
                    if number % 3 > 0 { await client.sendAudio(.seconds(1)) }
                    if number % 3 > 1 { await client.send(Self.commit) }
                }
            }
            try await group.waitForAll()
        }
        #expect(await eventually { running.server.streamCount == 0 && engine.openSessions == 0 })
        await expectText(try await RealtimeClient.open(running), "after all")
        await running.server.stop(within: .milliseconds(100))
    }
}
#endif
