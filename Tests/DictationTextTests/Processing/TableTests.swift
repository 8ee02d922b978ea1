import DictationCore
import Testing

@testable import DictationText

/// A line of a table of cases: what is said, and what is written.
struct WritingCase: Sendable, CustomTestStringConvertible {
    var spoken: String
    var written: String
    var testDescription: String { spoken }

    /// Reads the lines `spoken => written`. `⏎` is the end of a line.
    static func cases(_ table: String) -> [WritingCase] {
        table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = line.split(separator: " => ")
            return WritingCase(spoken: String(parts[0]), written: String(parts[1]).replacing("⏎", with: "\n"))
        }
    }
}

@Suite struct TableTests {
    @Test func theTablesHaveManyCasesAndNoneTwice() {
        let cases = [numberCases, punctuationCases].map { WritingCase.cases($0) }
        #expect(cases[0].count + cases[1].count >= 380)
        for table in cases { #expect(Set(table.map(\.spoken)).count == table.count) }
    }

    @Test(arguments: WritingCase.cases(numberCases))
    func aSpokenNumberIsWrittenWithDigits(_ test: WritingCase) {
        #expect(written(test.spoken, by: [SpokenNumbers()]) == test.written)
    }

    @Test(arguments: WritingCase.cases(punctuationCases))
    func aSpokenMarkIsWritten(_ test: WritingCase) {
        #expect(written(test.spoken, by: [SpokenPunctuation()]) == test.written)
    }
}

/// Returns the text that processors write for one result.
func written(_ text: String, by processors: [any TextProcessor], locale: SpeechLocale = "en-US") -> String {
    let result = SpeechResult(range: .zero..<(.seconds(10)), text: text)
    return Transcript(segments: [result], locale: locale).processed(by: processors).text
}
