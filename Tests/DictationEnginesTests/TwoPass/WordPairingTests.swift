import DictationCore
import Testing

@testable import DictationEngines

private func pairs(_ text: String, _ other: String) -> [String] {
    let (words, partners) = (SpokenWord.words(of: text), SpokenWord.words(of: other))
    func joined(_ words: ArraySlice<SpokenWord>) -> String { words.map(\.text).joined(separator: "+") }
    return WordPairing(words, with: partners).pairs.map {
        joined(words[$0.words]) + "=" + joined(partners[$0.partners])
    }
}

@Suite struct WordPairingTests {
    @Test(arguments: [
        ("Go forward.", "go forward", ["go=go", "forward=forward"]),
        ("The woodcutters came", "the wood cutters came", ["the=the", "woodcutters=wood+cutters", "came=came"]),
        ("the book binder", "the bookbinder", ["the=the", "book+binder=bookbinder"]),
        ("He was not exposed", "he was no expose", ["he=he", "was=was", "not=no", "exposed=expose"]),
        ("one two three", "one three", ["one=one", "three=three"]),
        ("in 1862 it was", "in eighteen sixty two it was", ["in=in", "it=it", "was=was"]),
        ("no no no yes", "no no yes", ["no=no", "no=no", "yes=yes"]),
        ("completely different", "an orange", []),
        ("", "one", []), ("one", "", []),
    ])
    func wordsArePairedByLettersAndOrder(_ text: String, _ other: String, _ expected: [String]) {
        #expect(pairs(text, other) == expected)
    }

    @Test func timesAreInOrderWhateverTheWords() {
        let heard = (0..<20).map { index -> SpeechResult.Word in
            let start = Duration.milliseconds(100 * index)
            return SpeechResult.Word("word\(index % 7)", range: start..<(start + .milliseconds(80)))
        }
        for seed in 0..<50 {
            let said = (0..<25).map { index -> String in
                "wor\(index * seed % 11)" + (index % 3 == 0 ? " –" : "d")
            }
            let text = said.joined(separator: " ")
            let range = Duration.zero..<(.seconds(2))
            expectTimesOfTheirOwn(timedWords(of: text, heard, in: range), in: range)
        }
    }

    @Test func wordsWithoutAnyPartnerShareTheTimeByTheirLetters() {
        let words = timedWords(of: "a nine, –", [], in: .seconds(1)..<(.milliseconds(1_600)))
        let starts: [Duration] = [.milliseconds(1_000), .milliseconds(1_100), .milliseconds(1_500)]
        #expect(words.map(\.range?.lowerBound) == starts)
        #expect(words.last?.range?.upperBound == .milliseconds(1_600))
    }

    @Test(arguments: [(150, 150), (3_000, 0)]) func textsOfAnyLengthAreTaken(_ count: Int, _ expected: Int) {
        let text = (0..<count).map { "number\($0)" }.joined(separator: " ")
        #expect(pairs(text, text).count == expected)
    }
}
