/// A word without its case and punctuation.
struct SpokenWord: Sendable, Hashable {
    /// The word's letters and digits in lower case.
    let text: String

    /// About as many letters as the word has when it is spelled out: "1862" is "eighteen sixty two".
    var length: Int { text.reduce(0) { $0 + ($1.isNumber ? 2 : 1) } }

    /// Returns the words of a text. Punctuation alone is no word.
    static func words(of text: String) -> [SpokenWord] {
        text.split(whereSeparator: \.isWhitespace).map(SpokenWord.init(written:)).filter { !$0.text.isEmpty }
    }

    init(written word: Substring) {
        text = word.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}
