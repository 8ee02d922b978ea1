#if Remote || Server
import DictationMessages
import Testing

@testable import DictationRemote

struct WebSocketFramingTests {
    /// Takes what a side has to write.
    private func output(of side: WebSocketFraming) -> [UInt8] {
        defer { side.written(side.output.count) }
        return side.output
    }

    private func receive(_ bytes: [UInt8], by side: WebSocketFraming) -> [WebSocketMessage] {
        bytes.withUnsafeBytes { side.receive($0) }
    }

    @Test(arguments: [1, 2, 7, 4_096])
    func messagesArriveHoweverTheirBytesAreCut(_ size: Int) {
        let client = WebSocketFraming(.client, messageLimit: 1 << 20)
        let server = WebSocketFraming(.server, messageLimit: 1 << 20)
        let messages: [WebSocketMessage] = [
            .text("Grüße"), .binary([]), .binary((0..<70_000).map { UInt8(truncatingIfNeeded: $0) }), .text(""),
            .close(code: 1_000, reason: "done"),
        ]
        for (sender, receiver) in [(client, server), (server, client)] {
            for message in messages.dropLast() { sender.send(message) }
            var (rest, received) = (output(of: sender)[...], [WebSocketMessage]())
            while !rest.isEmpty {
                received += receive(Array(rest.prefix(size)), by: receiver)
                rest = rest.dropFirst(size)
            }
            #expect(received == messages.dropLast())
        }
        client.send(messages[4])
        #expect(receive(output(of: client), by: server) == [messages[4]])
        #expect(!server.isReceiving && !server.isSending && !client.isSending)
        // The server has answered the close.
        #expect(receive(output(of: server), by: client) == [messages[4]])
        #expect(!client.isReceiving)
        client.send(.text("late"))
        #expect(client.output.isEmpty)
    }

    @Test func aClientMasksWhatItSends() {
        let client = WebSocketFraming(.client, messageLimit: 1_024)
        client.send(.text("abcdabcdabcd"))
        let bytes = output(of: client)
        #expect(bytes[1] == 0x80 | 12)
        #expect(Array(bytes.dropFirst(6)) != Array("abcdabcdabcd".utf8))
    }

    @Test func pingsAreAnswered() {
        let client = WebSocketFraming(.client, messageLimit: 1_024)
        #expect(receive([0x89, 2, 1, 2], by: client).isEmpty)
        let answer = output(of: client)
        #expect(answer.prefix(2) == [0x8A, 0x82] && answer.count == 8)
        #expect(client.isReceiving)
    }

    /// Frames that no honest server sends, and the status code of the answer; 0 for none.
    @Test(
        arguments: [
            ([0x81, 0x81, 0, 0, 0, 0, 65], 1_002),  // Masked by a server.
            ([0x81, 1, 0xFF], 1_007),  // Text that is not UTF-8.
            ([0x83, 0], 1_002),  // An unknown kind.
            ([0x80, 0], 1_002),  // A continuation of nothing.
            ([0x89, 126, 0, 126], 0),  // A ping that is too long.
            ([0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0, 65], 1_009),  // A message beyond the limit.
            ([0xC1, 0], 1_002),  // A reserved bit.
        ] as [([UInt8], Int)])
    func aPeerThatBreaksTheProtocolGetsAClose(_ frame: [UInt8], _ code: Int) {
        let client = WebSocketFraming(.client, messageLimit: 1_024)
        #expect(receive(frame, by: client).isEmpty)
        let answer = output(of: client)
        #expect(answer.first == 0x88)
        let sent = answer.count < 8 ? 0 : Int(answer[6] ^ answer[2]) << 8 | Int(answer[7] ^ answer[3])
        #expect(sent == code)
        #expect(!client.isReceiving)
        #expect(receive([0x81, 1, 65], by: client).isEmpty)
    }

    /// Servers say “restarting” and “try again later” with codes that are younger than the protocol.
    @Test(arguments: [1_000, 1_003, 1_011, 1_012, 1_013, 1_014, 3_000, 4_999] as [UInt16], [1, 3, 100])
    func everyCodeOfACloseIsTaken(_ code: UInt16, _ size: Int) {
        let client = WebSocketFraming(.client, messageLimit: 1_024)
        let frame = [0x88, 7, UInt8(code >> 8), UInt8(code & 0xFF)] + Array("later".utf8)
        let received = stride(from: 0, to: frame.count, by: size).flatMap { start in
            receive(Array(frame[start..<min(frame.count, start + size)]), by: client)
        }
        #expect(received == [.close(code: code, reason: "later")])
        #expect(!client.isReceiving && !client.isSending && output(of: client).first == 0x88)
    }

    @Test(arguments: [0, 999, 1_004, 1_005, 1_006, 1_015, 2_999, 5_000] as [UInt16])
    func aCloseWithAnotherCodeIsABreach(_ code: UInt16) {
        let client = WebSocketFraming(.client, messageLimit: 1_024)
        #expect(receive([0x88, 2, UInt8(code >> 8), UInt8(code & 0xFF)], by: client).isEmpty)
        #expect(!client.isReceiving)
    }

    @Test func aMessageInCountlessFramesEndsTheConnection() {
        let client = WebSocketFraming(.client, messageLimit: 1 << 20)
        _ = receive([0x01, 0], by: client)
        for _ in 0..<10_000 { _ = receive([0x00, 0], by: client) }
        #expect(!client.isReceiving)
        #expect(output(of: client).first == 0x88)
        // This number of messages is fine.
        let other = WebSocketFraming(.client, messageLimit: 1 << 20)
        for _ in 0..<10_000 { #expect(receive([0x81, 1, 65], by: other) == [.text("A")]) }
    }

    @Test func theHandshakeIsThatOfTheStandard() {
        #expect(WebSocketHandshake.answer(to: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(WebSocketHandshake.makeKey() != WebSocketHandshake.makeKey())
        #expect(WebSocketHandshake.makeKey().utf8.count == 24)
    }

    @Test(arguments: [0, 1, 55, 56, 63, 64, 65, 119, 120, 1_000])
    func hashesDependOnEveryByte(_ count: Int) {
        let message = [UInt8](repeating: 97, count: count)
        let hash = SHA1.hash(message)
        #expect(hash.count == 20)
        for index in message.indices {
            var other = message
            other[index] = 98
            #expect(SHA1.hash(other) != hash)
        }
    }

    @Test func hashesAreThoseOfTheStandard() {
        func hex(_ text: String) -> String {
            SHA1.hash(Array(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        #expect(hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
        #expect(hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(
            hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
    }
}
#endif
