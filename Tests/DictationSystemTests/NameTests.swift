import Testing

@testable import DictationSystem

@Suite struct NameTests {
    private static let refused: [(String, FileNameFault)] = [
        ("", .empty), (".", .climbs), ("..", .climbs), ("a/b", .slash), ("/", .slash),
        ("/\u{301}", .slash), ("\u{600}/", .slash), ("../\u{301}Z\u{600}/..", .slash),
        ("a\u{0}", .controlCharacter), ("a\nb", .controlCharacter), ("\u{7F}", .controlCharacter),
        ("a\u{9B}31m", .controlCharacter), ("a\u{202E}b", .controlCharacter), ("\u{200F}", .controlCharacter),
        ("a\u{2066}", .controlCharacter), ("a\u{2028}", .controlCharacter), ("\u{61C}", .controlCharacter),
        ("e\u{301}", .notComposed), ("\u{212B}", .notComposed), ("\u{1112}\u{1161}", .notComposed),
        ("\u{301}a", .joinsSlash), ("a\u{600}", .joinsSlash),
        (String(repeating: "a", count: 256), .tooLong), (String(repeating: "é", count: 128), .tooLong),
    ]

    @Test(arguments: refused) func aNameThatDoesHarmIsRefused(_ text: String, _ fault: FileNameFault) {
        #expect(throws: fault) { try FileName(text) }
    }

    @Test func aNameThatIsNotTextIsRefused() {
        #expect(throws: FileNameFault.notText) { try FileName([0x61, 0xFF]) }
        // A slash in two bytes, as no correct UTF-8 has it.
        #expect(throws: FileNameFault.notText) { try FileName([0xC0, 0xAF]) }
    }

    @Test(arguments: ["a", "...", ".hidden", "Zürich", "名前", "한국어", "می\u{200C}خواهم", "a b", "é"])
    func anyPlainNameIsTaken(_ text: String) throws {
        #expect(try FileName(text).text == text)
        #expect(try RelativePath("x/" + text).names.count == 2)
    }

    @Test func aNameThatTheSystemListsIsTakenInAnySpelling() throws {
        for bytes in [[0xFF], [0x0A], Array("e\u{301}".utf8)] as [[UInt8]] {
            #expect(try FileName(anySpelling: bytes).bytes == bytes)
        }
        for bytes in [[], [0x2E], [0x2E, 0x2E], [0x61, 0x2F], [0x61, 0]] as [[UInt8]] {
            #expect(throws: FileNameFault.self) { try FileName(anySpelling: bytes) }
        }
    }

    /// They are the same `String`.
    @Test func namesOfOtherBytesAreOtherNames() throws {
        let composed = try FileName(anySpelling: Array("é".utf8))
        let decomposed = try FileName(anySpelling: Array("e\u{301}".utf8))
        #expect(composed.text == decomposed.text)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(decomposed < composed)
    }

    private static let refusedPaths: [(String, FileNameFault)] = [
        ("", .empty), (".", .empty), ("./", .empty), ("/etc", .absolute), ("/\u{301}etc", .absolute),
        ("a/../b", .climbs), ("..", .climbs), ("../\u{301}Z\u{600}/../x", .climbs),
        ("a/\u{301}b", .joinsSlash), ("a\u{600}/b", .joinsSlash),
        (String(repeating: "a/", count: 17), .tooDeep), (String(repeating: "a", count: 1_025), .tooLong),
    ]

    @Test(arguments: refusedPaths) func aPathThatDoesHarmIsRefused(_ text: String, _ fault: FileNameFault) {
        #expect(throws: fault) { try RelativePath(text) }
    }

    @Test func aPathIsItsNames() throws {
        let path = try RelativePath("./model//en/mdef")
        #expect(try path == RelativePath("model/en/mdef"))
        #expect(path.text == "model/en/mdef")
        #expect(try path.below(RelativePath("model"))?.text == "en/mdef")
        #expect(try path.below(RelativePath("mod")) == nil)
        #expect(path.below(path) == nil)
        #expect(path.below(nil) == path)
    }

    @Test func whatCannotBeSeenIsSpelledOut() {
        #expect(visible("a\nb\u{202E}c\u{9B}é") == #"a\u{a}b\u{202e}c\u{9b}é"#)
        #expect(visible([0x61, 0xFF]) == "a\u{FFFD}")
    }

    /// An archive may name an entry with a megabyte.
    @Test func aNameLongerThanAnyPathIsCutInAMessage() {
        let path = String(repeating: "a", count: 4_096)
        #expect(visible(path) == path)
        #expect(visible(path + "a") == path + "…")
        #expect(visible([UInt8](repeating: 0x61, count: 1 << 20)) == path + "…")
    }
}
