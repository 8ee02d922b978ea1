import DictationCore

/// A word without its case and punctuation. In a script without spaces, each character is a word.
struct SpokenWord: Sendable, Hashable {
    /// The word's letters and digits in lower case.
    let text: String

    /// About as many letters as the word has when it is spelled out: "1862" is "eighteen sixty two".
    var length: Int { text.reduce(0) { $0 + $1.spelledLength } }

    /// Whether the word is only a part of what people call a word.
    var isCharacter: Bool { text.first?.isWrittenWithoutSpaces == true }

    init(written word: some StringProtocol) {
        text = word.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    /// Returns the words of a text. Punctuation alone is no word.
    static func words(of text: String) -> [SpokenWord] {
        parts(of: text).map { SpokenWord(written: $0) }.filter { !$0.text.isEmpty }
    }

    /// Returns the words of a text as they are written, each with the punctuation and one space after it.
    ///
    /// "Well-known" and "and/or" are two words, and so is "你好". A word in which the same letters come very often is a word for each time.
    static func parts(of text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).flatMap { written in
            var parts = written.writtenWords.flatMap(cutAtPunctuation).flatMap(cutAtRepetitions).map(String.init)
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

extension Character {
    /// The number of letters that it takes to spell the sound: three for the character of "san", two for a kana.
    fileprivate var spelledLength: Int {
        let scalar = unicodeScalars.first
        if scalar?.properties.isIdeographic == true { return 3 }
        return isNumber || scalar.map { (0x3041...0x30FA).contains($0.value) } == true ? 2 : 1
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
