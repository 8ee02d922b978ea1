import DictationBatch
import DictationCore
import Foundation
import TestSupport
import Testing

/// Manifests that other programs write, and that nobody should write.
struct HostileManifestTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func items(of bytes: [UInt8]) async throws -> [BatchItem] {
        let path = try folder.write(bytes, to: "manifest.jsonl")
        var items: [BatchItem] = []
        for try await item in BatchManifest(path: path) { items.append(item) }
        return items
    }

    private func items(_ lines: [String]) async throws -> [BatchItem] {
        try await items(of: Array(lines.joined(separator: "\n").utf8))
    }

    @Test(
        arguments: [
            ("0", .zero), ("-0", .zero), ("-0.0", .zero), ("0e99", .zero), ("1E1", .seconds(10)),
            ("0.1e+1", .seconds(1)), ("1.50", .milliseconds(1_500)), ("null", .zero),
            ("0.1000000000000000055511151231257827", .milliseconds(100)),
        ] as [(String, Duration)])
    func aNumberMayBeWrittenInAnyWay(number: String, offset: Duration) async throws {
        let found = try await items([#"{"audio_filepath": "a", "id": "x", "offset": \#(number)}"#])
        #expect(found.map(\.id) == ["x"] && found[0].fault == nil, "\(String(describing: found.first?.fault))")
        #expect(found[0].offset == offset)
    }

    /// Python writes `None` as null.
    @Test func aMemberThatIsNullIsAbsent() async throws {
        let found = try await items([
            #"{"audio_filepath": "a.wav", "id": null, "offset": null, "duration": null, "text": null, "channel_selector": null}"#
        ])
        let item = try #require(found.first)
        #expect(item.fault == nil, "\(String(describing: item.fault))")
        #expect(item.id == "a.wav" && item.offset == .zero && item.duration == nil && item.channel == nil)
        #expect(item.reference == nil)
    }

    @Test(arguments: [
        #""offset": 1e400"#, #""offset": -1e400"#, #""offset": -1e-3"#, #""duration": -1"#, #""duration": true"#,
        #""offset": "1.5""#, #""offset": [1]"#, #""offset": {}"#, #""offset": 0x10"#, #""offset": +1"#,
        #""offset": .5"#, #""offset": 1."#, #""offset": 1e"#, #""id": {}"#, #""id": []"#, #""id": true"#,
        #""id": 1.5"#, #""offset": 1e18"#, #""duration": 9223372036854775808"#,
    ])
    func aMemberOfAnotherTypeIsAFault(member: String) async throws {
        let found = try await items([#"{"audio_filepath": "a", \#(member)}"#, "b.wav"])
        #expect(found.map(\.id) == ["#1", "b.wav"])
        #expect(found[0].fault?.code == .invalidInput && found[0].fault?.recovery != nil)
    }

    @Test func anItemNeedsAPathAndAName() async throws {
        for line in [#"{"audio_filepath": ""}"#, #"{"audio_filepath": null}"#, #"{}"#] {
            let found = try await items([line])
            #expect(found.count == 1 && found[0].fault != nil, "\(line)")
        }
        let found = try await items([
            #"{"audio_filepath": "a", "id": ""}"#, #"{"audio_filepath": "b", "id": ""}"#,
        ])
        // An empty name is none.
        #expect(found.map(\.id) == ["a", "b"])
    }

    @Test func aHalfOfASurrogateIsNoCrash() async throws {
        let found = try await items([
            #"{"audio_filepath": "a\ud800.wav"}"#, #"{"audio_filepath": "b", "text": "\udc00\ud800"}"#,
            #"{"audio_filepath": "c", "id": "\uD83D"}"#, #"{"audio_filepath": "d", "\ud800": 1}"#, "e",
        ])
        #expect(found.count == 5 && found[4].id == "e" && found[4].fault == nil)
        #expect(Set(found.map(\.id)).count == 5)
    }

    @Test func bytesThatAreNoTextAreAFaultOfTheirLine() async throws {
        var bytes = Array(#"{"audio_filepath": "a", "text": ""#.utf8) + [0xC3, 0x28] + Array("\"}\n".utf8)
        bytes += Array("b\n".utf8) + [0xED, 0xA0, 0x80, 0x0A] + [0xC0, 0x80, 0x0A] + [0xF8, 0x0A] + Array("c".utf8)
        let found = try await items(of: bytes)
        #expect(found.map(\.id) == ["#1", "b", "#3", "#4", "#5", "c"])
        #expect(found.map { $0.fault == nil } == [false, true, false, false, false, true])
    }

    /// PowerShell's `>` writes UTF-16.
    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32])
    func anotherEncodingIsNoListOfOtherItems(encoding: String.Encoding) async throws {
        let data = try #require(#"{"audio_filepath": "a.wav"}"#.appending("\r\nb.wav\r\n").data(using: encoding))
        do {
            let found = try await items(of: [UInt8](data))
            #expect(found.allSatisfy { $0.fault != nil }, "\(found.map(\.path))")
        } catch let error as DictationError {
            #expect(error.message.contains("UTF"))
        }
    }

    /// Files of Windows that were joined with `cat`.
    @Test func aMarkAtTheBeginningOfAnyLineIsNoPartOfIt() async throws {
        let found = try await items(["\u{FEFF}a.wav\r", "\u{FEFF}{\"audio_filepath\": \"b.wav\"}\r", "\u{FEFF}\r", "c"])
        #expect(found.map(\.path) == ["a.wav", "b.wav", "c"] && found.allSatisfy { $0.fault == nil })
    }

    @Test func namesOfAnyKindAreNames() async throws {
        let long = String(repeating: "x", count: 100_000)
        let names = [
            "\u{E9}", "e\u{301}", "a\u{300}\u{301}\u{302}", "\u{FB01}", "fi", "\u{212B}", "\u{C5}", "A\u{30A}", long,
            long + "y", " ", "\t", "a\u{200B}", "a", "\u{202E}gpj", "#2", "\u{1F468}\u{200D}\u{1F469}",
        ]
        let lines = try names.map {
            "{\"audio_filepath\": \"r.wav\", \"id\": \(String(decoding: try JSONEncoder().encode($0), as: UTF8.self))}"
        }
        let found = try await items(lines)
        #expect(found.allSatisfy { $0.fault == nil }, "\(found.compactMap(\.fault))")
        #expect(found.map { Array($0.id.utf8) } == names.map { Array($0.utf8) })
        let shards = try (0..<3).map { try BatchShard($0, of: 3) }
        for item in found { #expect(shards.count { $0.contains(item.id) } == 1) }
    }

    /// The name of a wrong line is that of no other item.
    @Test func aNameThatLooksLikeAFaultsNameIsSafe() async throws {
        let found = try await items([
            ##"{"audio_filepath": "a", "id": "#2"}"##, "{", "a.wav", "a.wav",
            ##"{"audio_filepath": "b", "id": "a.wav#4"}"##,
            ##"{"audio_filepath": "c", "id": "#7"}"##, "{",
        ])
        #expect(Set(found.map(\.id)).count == 7, "\(found.map(\.id))")
        #expect(found.count { $0.fault == nil } >= 3)
    }
}
