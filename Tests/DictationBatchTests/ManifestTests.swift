import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationBatch

private func items(_ path: String) async throws -> [BatchItem] {
    var items: [BatchItem] = []
    for try await item in BatchManifest(path: path) { items.append(item) }
    return items
}

private func items(of text: String, in folder: TemporaryFolder) async throws -> [BatchItem] {
    try await items(folder.write(Array(text.utf8), to: "manifest.jsonl"))
}

struct ManifestTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func aLineOfNeMoIsAnItem() async throws {
        let item = try #require(
            await items(
                of: #"{"audio_filepath": "/a.wav", "offset": 1.5, "duration": 2.25, "text": "go \"on\"", "lang": "en"}"#
                    + "\n",
                in: folder
            ).first)
        #expect(item.path == "/a.wav" && item.id == "/a.wav@1.5")
        #expect(item.offset == .milliseconds(1_500) && item.duration == .milliseconds(2_250))
        #expect(item.reference == #"go "on""#)
        #expect(item.line?.format == .nemo && item.fault == nil)
    }

    @Test func aCutOfLhotseIsAnItem() async throws {
        let cut = """
            {"id": "cut-1", "start": 3.0, "duration": 2.5, "channel": 1, "supervisions": [{"id": "s", "text": "one"}, \
            {"id": "t", "text": "two"}], "recording": {"id": "rec", "sources": [{"type": "file", "channels": [0, 1], \
            "source": "/b.flac"}], "sampling_rate": 16000, "num_samples": 160000, "duration": 10.0}, "type": "MonoCut"}
            """
        let item = try #require(await items(of: cut, in: folder).first)
        #expect(item.id == "cut-1" && item.path == "/b.flac" && item.channel == 2)
        #expect(item.offset == .seconds(3) && item.duration == .milliseconds(2_500))
        #expect(item.reference == "one two" && item.line?.format == .lhotse)
    }

    /// The system would read the file whose name ends at the NUL.
    @Test(arguments: [
        #"{"audio_filepath": "/a.wav\u0000.txt"}"#,
        #"{"id": "c", "start": 0, "duration": 1, "recording": {"sources": [{"type": "file", "source": "/a.wav\u0000b"}]}}"#,
    ])
    func aNULInAPathIsAFaultOfTheLine(line: String) async throws {
        let item = try #require(await items(of: line, in: folder).first)
        #expect(item.fault?.message.contains("null character") == true, "\(item)")
    }

    @Test func aLineCanBeAPath() async throws {
        let found = try await items(of: "a.wav\r\n\n  \n#3 b.wav\nç d.wav", in: folder)
        #expect(found.map(\.path) == ["a.wav", "#3 b.wav", "ç d.wav"])
        #expect(found.allSatisfy { $0.fault == nil && $0.line == nil })
    }

    @Test func aRelativePathIsThatOfAFileBesideTheManifest() async throws {
        _ = try folder.write([0], to: "here.wav")
        let found = try await items(
            of: #"{"audio_filepath": "here.wav"}"# + "\n" + #"{"audio_filepath": "elsewhere.wav"}"#, in: folder)
        #expect(found.map(\.path) == [folder.file("here.wav"), "elsewhere.wav"])
        #expect(found.map(\.id) == ["here.wav", "elsewhere.wav"])
    }

    @Test(arguments: [
        "{", #"{"audio_filepath": }"#, #"{"audio_filepath": 7}"#, #"{"audio_filepath": "a", "offset": -1}"#,
        #"{"audio_filepath": "a", "offset": 1e300}"#, #"{"audio_filepath": "a", "duration": "long"}"#,
        #"{"audio_filepath": "a", "duration": -0.5}"#, #"{"path": "a"}"#, #"{"audio_filepath": "a"} x"#,
        #"{"id": "c", "start": 0, "duration": 1, "recording": {"id": "r", "sources": []}}"#,
        #"{"id": "c", "start": 0, "duration": 1, "recording": {"sources": [{"type": "url", "source": "http://x"}]}}"#,
        #"{"recording": null}"#, #"{"audio_filepath": "a", "x": "unended"#,
        // Python writes this, but it is not JSON.
        #"{"audio_filepath": "a", "duration": NaN}"#, #"{"audio_filepath": "a", "x": Infinity}"#,
        #"{"audio_filepath": "a", "duration": 1e999}"#, #"{"audio_filepath": "a", "x": 01}"#,
        #"{"audio_filepath": "a", "x": 1.2.3}"#, #"{"audio_filepath": "a", "x": tru}"#,
        #"{"audio_filepath": "a", "x": [1}]}"#, #"{"audio_filepath": "a", "x": "\q"}"#,
        #"{"audio_filepath": "a", "x": [1,]}"#, #"{"audio_filepath": "a",}"#, #"{"audio_filepath": "a", "x"}"#,
        "{\"audio_filepath\": \"a\", \"x\": \"tab\tin it\"}",
    ])
    func aWrongLineIsAnItemWithAFault(line: String) async throws {
        let found = try await items(of: "good.wav\n\(line)\nbetter.wav\n", in: folder)
        #expect(found.map(\.id) == ["good.wav", "#2", "better.wav"])
        #expect(found[1].fault?.message.hasPrefix("Line 2 of the manifest ") == true)
    }

    /// What other programs really write.
    @Test(arguments: [
        "\u{FEFF}{\"audio_filepath\": \"a.wav\"}\r\n\r\n{\"audio_filepath\": \"b.wav\"}\r\n", "\u{FEFF}a.wav\r\nb.wav",
    ])
    func windowsMayHaveWrittenTheManifest(text: String) async throws {
        let found = try await items(of: text, in: folder)
        #expect(found.map(\.path) == ["a.wav", "b.wav"] && found.allSatisfy { $0.fault == nil })
    }

    @Test func ofSeveralMembersWithOneKeyTheLastCounts() async throws {
        let found = try await items(
            of: #"{"audio_filepath": "a", "offset": 1, "audio_filepath": "b", "offset": 2, "é": 1, "e\u0301": 2}"#,
            in: folder)
        #expect(found.map(\.id) == ["b@2.0"] && found.map(\.offset) == [.seconds(2)])
        #expect(found[0].line?.json.members.map(\.value) == [#""b""#, "2", "1", "2"])
    }

    @Test func theChannelsOfACallAreItemsOfTheirOwn() async throws {
        let found = try await items(
            of: #"{"audio_filepath": "a", "channel_selector": 1}"# + "\n"
                + #"{"audio_filepath": "a", "channel_selector": 0}"# + "\n"
                + #"{"audio_filepath": "a", "channel_selector": "average"}"#,
            in: folder)
        #expect(found.allSatisfy { $0.fault == nil })
        #expect(found.map(\.channel) == [2, 1, nil])
        #expect(found.map(\.id) == ["a channel 2", "a channel 1", "a"])
    }

    /// Without the fault, the text of all channels would look like that of the one that was asked for.
    @Test(arguments: [
        "[0, 1]", "[1]", "0.5", "\"left\"", "\"1\"", "true", "{}", "-1", "65536", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808",
    ])
    func aChannelThatIsNoNumberOfAChannelIsAFault(channel: String) async throws {
        let cut =
            #"{"id": "c", "start": 0, "duration": 1, "recording": {"id": "r", "sources": ["#
            + #"{"type": "file", "source": "a.wav"}]}, "channel": \#(channel)}"#
        let found = try await items(
            of: #"{"audio_filepath": "a", "channel_selector": \#(channel)}"# + "\n\(cut)\n", in: folder)
        #expect(found.map(\.id) == ["#1", "#2"])
        #expect(found[0].fault?.message.contains("channel_selector") == true)
        #expect(found[1].fault?.message.contains("channel") == true)
    }

    @Test func aDeepLineIsAFaultAndNoCrash() async throws {
        let (begin, end) = (String(repeating: "[", count: 100_000), String(repeating: "]", count: 100_000))
        let line = "{\"audio_filepath\": \"a\", \"x\": "
        let found = try await items(of: "\(line)\(begin)\(end)}\n\(line)\(begin)\nb.wav", in: folder)
        #expect(found.map { $0.fault == nil } == [false, false, true])
    }

    @Test func namesThatLookEqualAreTwo() async throws {
        let found = try await items(of: "é.wav\ne\u{301}.wav\n", in: folder)
        #expect(found.count == 2 && found.allSatisfy { $0.fault == nil })
    }

    @Test func bytesThatAreNoTextAreAFault() async throws {
        let path = try folder.write(Array("a.wav\n".utf8) + [0xFF, 0xFE, 0x0A] + Array("b.wav".utf8), to: "list")
        #expect(try await items(path).map { $0.fault == nil } == [true, false, true])
    }

    @Test func aLineWithoutAnEndDoesNotFillTheMemory() async throws {
        let path = try folder.write(Array(repeating: 0x61, count: 20 << 20) + Array("\nb.wav\n".utf8), to: "list")
        let found = try await items(path)
        #expect(found.map(\.id) == ["#1", "b.wav"] && found[0].fault != nil)
    }

    @Test func aNameThatComesAgainIsAFault() async throws {
        let found = try await items(of: "a.wav\nb.wav\na.wav\na.wav\n", in: folder)
        #expect(found.map(\.id) == ["a.wav", "b.wav", "a.wav#3", "a.wav#4"])
        #expect(found.map { $0.fault == nil } == [true, true, false, false])
    }

    @Test func partsOfOneRecordingHaveNamesOfTheirOwn() async throws {
        let lines = (0..<5).map { #"{"audio_filepath": "a.wav", "offset": \#($0), "duration": 1}"# }
        let found = try await items(of: lines.joined(separator: "\n"), in: folder)
        #expect(Set(found.map(\.id)).count == 5 && found.allSatisfy { $0.fault == nil })
    }

    @Test(arguments: [("gzip", ".gz"), ("zstd", ".zst"), ("gzip", ".jsonl")])
    func aCompressedManifestIsUnpacked(program: String, ending: String) async throws {
        let lines = (0..<10_000).map { "recording-\($0).wav" }
        let path = try folder.write(Array(lines.joined(separator: "\n").utf8), to: "list")
        let packed = folder.file("packed" + ending)
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "\(program) -c '\(path)' >'\(packed)'"]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try await items(packed).map(\.path) == lines)

        // A file that was cut short is an error, not a shorter list.
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: packed)))
        let cut = try folder.write(Array(bytes.prefix(bytes.count / 2)), to: "cut")
        let failure = await error { _ = try await items(cut) }
        #expect(failure?.code == .fileUnreadable)
    }

    @Test func aManifestThatDoesNotExistIsAnError() async throws {
        let failure = await error { _ = try await items(folder.file("none")) }
        #expect(failure?.code == .fileUnreadable)
    }

    @Test func anEmptyManifestHasNoItems() async throws { #expect(try await items(of: "", in: folder).isEmpty) }

    // MARK: Folders and patterns

    private func makeTree() throws {
        for name in ["b", "a/deep/er", ".hidden"] { try makeFolder(folder.file(name)) }
        for name in ["z.wav", "notes.txt", "b/2.FLAC", "b/10.wav", "a/deep/er/x.m4a", ".hidden/y.wav", "a/.w.wav"] {
            _ = try folder.write([0], to: name)
        }
        // A link to a folder above it would be a circle.
        try FileManager.default.createSymbolicLink(atPath: folder.file("b/up"), withDestinationPath: "..")
    }

    private func names(of pattern: String) async throws -> [String] {
        try await items(folder.path + pattern).map { String($0.path.dropFirst(folder.path.count + 1)) }
    }

    @Test func aFolderStandsForItsRecordings() async throws {
        try makeTree()
        #expect(try await names(of: "") == ["a/deep/er/x.m4a", "b/10.wav", "b/2.FLAC", "z.wav"])
        #expect(try await names(of: "/") == ["a/deep/er/x.m4a", "b/10.wav", "b/2.FLAC", "z.wav"])
    }

    @Test(arguments: [
        ("/*.wav", ["z.wav"]), ("/*/*.wav", ["b/10.wav"]), ("/**/*.wav", ["b/10.wav", "z.wav"]),
        ("/b/*", ["b/10.wav", "b/2.FLAC"]), ("/b/?.*", ["b/2.FLAC"]),
        ("/[ab]/**", ["a/deep/er/x.m4a", "b/10.wav", "b/2.FLAC"]),
        ("/**/deep/**/*", ["a/deep/er/x.m4a"]), ("/a/.*.wav", ["a/.w.wav"]),
    ])
    func aPatternStandsForFiles(pattern: String, wanted: [String]) async throws {
        try makeTree()
        #expect(try await names(of: pattern) == wanted)
    }

    /// A script must not take a mistyped pattern for done.
    @Test func aPatternThatMatchesNothingIsAnError() async throws {
        try makeTree()
        await #expect(throws: DictationError.self) { try await names(of: "/*.mp3") }
    }

    @Test func aLineOfZerosIsAFault() async throws {
        let found = try await items(of: "a.wav\n\0\0\0\0\n \t\r\nb.wav\n", in: folder)
        #expect(found.map { $0.fault == nil } == [true, false, true])
    }

    @Test func aFolderWhoseNameLooksLikeAPatternIsRead() async throws {
        try makeFolder(folder.file("calls[1]"))
        _ = try folder.write([0], to: "calls[1]/a.wav")
        #expect(try await names(of: "/calls[1]") == ["calls[1]/a.wav"])
    }

    @Test func aNameThatIsNoTextIsAFault() async throws {
        try makeTree()
        for name in ["l\u{E4}ut.wav", "L\u{E4}rm"] {
            // In Latin-1.
            let bytes = Array((folder.path + "/b/").utf8) + name.unicodeScalars.map { UInt8($0.value) } + [0]
            let made = bytes.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) { path in
                    name.hasSuffix(".wav") ? creat(path.baseAddress!, 0o600) : mkdir(path.baseAddress!, 0o700)
                }
            }
            #expect(made >= 0)
            if made > 0 { close(made) }
        }
        let found = try await items(folder.file("b"))
        #expect(found.map { $0.fault == nil } == [true, true, false, false])
    }

    @Test func aFileWhoseNameLooksLikeAPatternIsRead() async throws {
        let path = try folder.write(Array("a.wav\n".utf8), to: "list[1].txt")
        #expect(try await items(path).map(\.path) == ["a.wav"])
    }
}
