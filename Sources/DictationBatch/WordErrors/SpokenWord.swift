import DictationCore

/// A word of a text as it is spoken, so that differences of writing are no errors: case, punctuation, hyphens, digits,
/// and abbreviations such as “Mr.”.
enum SpokenWord {
    case word(String)
    /// A number in digits, which can be said in several ways.
    case number(NumberReadings)

    /// The words of the likeliest reading.
    var usual: [String] {
        switch self {
        case .word(let word): [word]
        case .number(let readings): readings.usual
        }
    }

    /// Returns the words of a text.
    static func list(_ text: String) -> [SpokenWord] {
        // Greek writes a sigma at the end of a word in another way, but only in lower case.
        var plain = text.lowercased().replacing("\u{2019}", with: "'").replacing("ς", with: "σ")
        plain = plain.replacing(/(\d),(?=\d{3})/) { $0.1 }
        plain = plain.replacing(/(\d)\.(?=\d)/) { "\($0.1) point " }
        plain = plain.replacing(/\$(\d+)/) { "\($0.1) dollars" }
        plain = plain.replacing("%", with: " percent ").replacing("&", with: " and ")
        plain = String(plain.map { $0.isLetter || $0.isNumber || $0 == "'" ? $0 : " " })
        return plain.writtenWords.flatMap(spoken)
    }

    private static func spoken(_ written: Substring) -> [SpokenWord] {
        var word = String(written.trimmingPrefix("'"))
        while word.hasSuffix("'") { word.removeLast() }
        if word.hasPrefix("o'") { word = "o" + word.dropFirst(2) }
        if word.isEmpty { return [] }
        if let ordinal = word.wholeMatch(of: /(\d+)(?:st|nd|rd|th)/), let number = NumberReadings(ordinal.1) {
            return NumberReadings.ordinal(number.usual).map { .word($0) }
        }
        if let number = NumberReadings(word) { return [.number(number)] }
        return [.word(abbreviations[word] ?? word)]
    }

    private static let abbreviations = [
        "mr": "mister", "mrs": "missus", "dr": "doctor",
        // The digit 0 is often said as the letter.
        "o": "zero", "oh": "zero",
    ]
}
