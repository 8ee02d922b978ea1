import DictationCore
import DictationMessages
import DictationText
import Testing

@testable import DictationRemote

@Suite struct WyomingReaderTests {
    private static let messages = [
        WyomingMessage(type: "describe"),
        WyomingMessage(type: "transcribe", data: ["language": .text("en"), "context": .object(["a": .list([.null])])]),
        WyomingMessage(type: "audio-chunk", data: ["rate": .number(16_000)], payload: Array(0...255)),
        WyomingMessage(type: "transcript", data: ["text": .text("Grüße,\nzwei Zeilen")]),
    ]

    private func read(_ bytes: [UInt8], in pieces: Int) throws -> [WyomingMessage] {
        var reader = WyomingReader()
        var messages: [WyomingMessage] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            reader.append(bytes[start..<min(bytes.count, start + pieces)])
            while let message = try reader.next() { messages.append(message) }
        }
        return messages
    }

    @Test(arguments: [1, 2, 3, 7, 64, 100_000]) func messagesComeBackHoweverTheyAreCut(pieces: Int) throws {
        #expect(try read(Self.messages.flatMap(\.bytes), in: pieces) == Self.messages)
    }

    @Test func dataMayBeInTheLineOrBehindIt() throws {
        let inLine = #"{"type":"transcribe","data":{"name":"a","language":"de"}}"# + "\n"
        let both =
            #"{"type":"transcribe","data":{"name":"a","language":"de"},"data_length":17}"# + "\n"
            + #"{"language":"en"}"#
        let read = try read(Array((inLine + both).utf8), in: 5)
        #expect(read.map { $0.data["language"] } == [.text("de"), .text("en")])
        #expect(read.map { $0.data["name"] } == [.text("a"), .text("a")])
    }

    @Test(arguments: [
        "POST / HTTP/1.1\n", "[]\n", "{}\n", #"{"type":1}"# + "\n", #"{"type":"a","data_length":-1}"# + "\n",
        #"{"type":"a","payload_length":99999999999}"# + "\n", #"{"type":"a","payload_length":1e300}"# + "\n",
        #"{"type":"a","data_length":"5"}"# + "\n", #"{"type":"a","data_length":2}"# + "\n[]",
        String(repeating: "{\"type\":", count: 100_000), String(repeating: "[", count: 60_000) + "\n", "\u{0}\n",
    ])
    func nonsenseIsRefusedOnceAndForAll(text: String) {
        var reader = WyomingReader()
        reader.append(Array(text.utf8))
        for _ in 0..<2 {
            #expect(throws: DictationError.self) { try reader.next() }
            reader.append(Self.messages[0].bytes)
        }
    }

    /// Messages with changed bytes end in messages or in an error, and the reader keeps no more than its limits.
    @Test func randomChangesNeverHarm() {
        var random = SystemRandomNumberGenerator()
        let whole = Self.messages.flatMap(\.bytes)
        for _ in 0..<2_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? read(bytes, in: Int.random(in: 1...64, using: &random))
        }
    }
}
