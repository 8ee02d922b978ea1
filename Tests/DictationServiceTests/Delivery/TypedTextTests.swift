import Testing

@testable import DictationDesktop
@testable import DictationService

@Suite struct TypedTextTests {
    private func pieces(_ text: String, _ lineBreaks: TypedLineBreaks = .enter) -> [TypedText.Piece] {
        TypedText(text, lineBreaks: lineBreaks).pieces
    }

    @Test func lineBreaksBecomeWhatTheSettingSays() {
        #expect(pieces("a\nb") == [.characters("a"), .lineBreak, .characters("b")])
        #expect(pieces("a\r\nb\u{2029}c", .shiftEnter).count { $0 == .lineBreak } == 2)
        #expect(pieces("a\n\n b", .space) == [.characters("a  b")])
        #expect(pieces("a\r\n\r\nb", .space) == [.characters("a b")])
    }

    @Test func whatIsNoTextIsLeftOut() {
        #expect(pieces("a\u{1B}[31m\u{0}b\u{7F}\u{9B}\u{FFFE}\tc") == [.characters("a[31mb c")])
        #expect(pieces("\u{1B}") == [])
    }

    @Test func longTextsAreCutAndStayInOrder() {
        let text = String(repeating: "one two é 😀 ", count: 100)
        let cut = pieces(text).map { piece in if case .characters(let text) = piece { text } else { "" } }
        #expect(cut.joined() == text)
        #expect(cut.allSatisfy { $0.unicodeScalars.count <= TypedText.pieceLength } && cut.count > 10)
    }

    @Test func aCharacterThatNeedsAKeyOfItsOwnStandsApart() {
        let cut = TypedText("5‰‰ of it‥", lineBreaks: .space, apart: ["‰", "‥"]).pieces
        #expect(cut == ["5", "‰", "‰", " of it", "‥"].map { .characters($0) })
    }

    @Test func aPieceNeedsNoMoreKeysThanThereAre() {
        let text = "日本語 日本 語x言葉"
        let cut = TypedText(text, lineBreaks: .space, keys: 2) { $0.isASCII }.pieces.map { piece in
            if case .characters(let text) = piece { text } else { "" }
        }
        #expect(cut.joined() == text)
        #expect(cut.allSatisfy { Set($0.unicodeScalars.filter { !$0.isASCII }).count <= 2 }, "\(cut)")
    }
}
