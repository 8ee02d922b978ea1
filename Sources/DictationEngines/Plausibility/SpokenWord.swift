/// A word without its case and punctuation.
struct SpokenWord: Sendable, Hashable {
    /// The word's letters and digits in lower case.
    let text: String

    /// About as many letters as the word has when it is spelled out: "1862" is "eighteen sixty two".
    var length: Int { text.reduce(0) { $0 + ($1.isNumber ? 2 : 1) } }

    init(written word: some StringProtocol) {
        text = word.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    /// Returns the words of a text. Punctuation alone is no word.
    static func words(of text: String) -> [SpokenWord] {
        parts(of: text).map { SpokenWord(written: $0) }.filter { !$0.text.isEmpty }
    }

    /// Returns the words of a text as they are written, each with the punctuation and one space after it.
    ///
    /// "Well-known" and "and/or" are two words. A word in which the same letters come very often is a word for each time.
    static func parts(of text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).flatMap { written in
            var parts = cutAtPunctuation(written).flatMap(cutAtRepetitions).map(String.init)
            parts[parts.count - 1] += " "
            return parts
        }
    }

    /// The greatest number of times that the same letters come in a row in one word.
    private static let mostRepeatedLetters = 15

    /// Cuts a text without spaces after each hyphen, slash or other punctuation that has words on both sides.
    private static func cutAtPunctuation(_ text: Substring) -> [Substring] {
        let characters = Array(text)
        var cuts: [Int] = []
        var end: Int?
        for (index, character) in characters.enumerated() where character.isLetter || character.isNumber {
            if let end, index > end, !isWhole(characters[end - 1], characters[end..<index], character) {
                cuts.append(index)
            }
            end = index + 1
        }
        return text.cut(at: cuts)
    }

    /// Whether some punctuation belongs to one word with the letters around it, as in "don't" and "1,250.50".
    private static func isWhole(_ before: Character, _ marks: ArraySlice<Character>, _ after: Character) -> Bool {
        guard marks.count == 1, let mark = marks.first else { return false }
        return "'\u{2019}".contains(mark) || (before.isNumber && after.isNumber && ".,:".contains(mark))
    }

    private static func cutAtRepetitions(_ text: Substring) -> [Substring] {
        guard text.count > mostRepeatedLetters,
            let repetition = Repetition(in: text.map { SpokenWord(written: String($0)) }),
            repetition.count > mostRepeatedLetters
        else { return [text] }
        let (start, period) = (repetition.phrase.startIndex, repetition.phrase.count)
        return text.cut(at: (0...repetition.count).map { start + $0 * period })
    }
}

extension Substring {
    /// Returns the parts between some places, which are in order and count characters.
    fileprivate func cut(at places: [Int]) -> [Substring] {
        let characters = indices + [endIndex]
        let cuts = places.filter { $0 > 0 && $0 < characters.count - 1 }.map { characters[$0] }
        return zip([startIndex] + cuts, cuts + [endIndex]).map { self[$0..<$1] }
    }
}
