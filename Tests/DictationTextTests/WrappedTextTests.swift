import DictationText
import Testing

@Suite struct WrappedTextTests {
    @Test(arguments: [
        ("a", 1), ("日本", 4), ("e\u{301}", 1), ("👩‍👩‍👧", 2), ("✔", 1), ("☀️", 2), ("한글", 4), ("ﾊﾟ", 2), ("\u{200B}", 0),
    ])
    func wideCharactersTakeTwoColumns(text: String, columns: Int) { #expect(text.displayWidth == columns) }

    @Test(arguments: [
        ("go forward ten meters", 10, ["go forward", "ten meters"]),
        ("go forward ten", 9, ["go", "forward", "ten"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("日本語の文字", 5, ["日本", "語の", "文字"]),
        ("ab 日本語", 5, ["ab 日", "本語"]),
        ("", 5, [""]),
        ("one two", 3, ["one", "two"]),
    ])
    func linesBreakWhereTheyMay(text: String, columns: Int, lines: [String]) {
        #expect(text.wrapped(columns: columns) == lines)
    }

    @Test func noLineIsEverTooWide() {
        let letters = Array("ab  c日é👩‍👧 .語")
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let text = String((0..<Int.random(in: 0...60, using: &random)).map { _ in letters.randomElement() ?? "a" })
            let columns = Int.random(in: 2...20, using: &random)
            let lines = text.wrapped(columns: columns)
            #expect(lines.allSatisfy { $0.displayWidth <= columns }, "\(text) in \(columns)")
            #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " }, "\(text) in \(columns)")
        }
    }
}
