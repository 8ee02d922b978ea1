import DictationTesting
import Foundation
import Testing

@testable import DictationSystem

/// Random paths, judged by what the system makes of their bytes.
@Suite struct RandomPathTests {
    private static let pieces: [[UInt8]] =
        [
            "/", "/", "/", "..", ".", "a", "é", "e\u{301}", "\u{301}", "\u{600}", "\u{200D}", "\u{202E}", "\n", "\u{0}",
            "\u{7F}",
            "\u{9B}", "한", "\u{1112}\u{1161}", "😀", "\u{FE0F}", " ", "\\", String(repeating: "n", count: 254),
        ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0xAF], [0x80], [0xED, 0xA0, 0x80]]

    @Test func aPathThatIsTakenIsOneForTheSystemToo() throws {
        var random = SplitMix64(seed: 11)
        var (taken, refused) = (0, 0)
        for _ in 0..<40_000 {
            let count = Int.random(in: 1...12, using: &random)
            let bytes = (0..<count).flatMap { _ in Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)] }
            guard let path = try? RelativePath(bytes) else {
                refused += 1
                continue
            }
            taken += 1
            let shown = String(decoding: bytes, as: UTF8.self).debugDescription
            let names = bytes.split(separator: 0x2F).map(Array.init).filter { $0 != [0x2E] }
            #expect(path.names.map(\.bytes) == names, "\(shown)")
            #expect(bytes.first != 0x2F && !names.contains([0x2E, 0x2E]), "\(shown)")
            #expect(names.allSatisfy { (1...255).contains($0.count) }, "\(shown)")
            #expect(!bytes.contains { $0 < 0x20 || $0 == 0x7F }, "\(shown)")
            // It is the same for code that sees a string, composed or not.
            #expect(path.text.split(separator: "/").map { Array($0.utf8) } == names, "\(shown)")
            #expect(path.text.precomposedStringWithCanonicalMapping.utf8.elementsEqual(path.text.utf8), "\(shown)")
        }
        #expect(taken > 1_000 && refused > 1_000)
    }
}
