/// The word errors of texts against what was said.
///
/// Both are compared as they are spoken, so case and punctuation count for nothing, and a number may have digits or words.
///
/// ```swift
/// var errors = WordErrorCount()
/// errors.count("He paid 42 dollars.", reference: "he paid forty two dollars")
/// print(errors.percent)  // 0.0
/// ```
public struct WordErrorCount: Codable, Sendable, Hashable {
    /// The number of words that are wrong, missing or too many.
    public var errors: Int
    /// The number of words that were said.
    public var words: Int

    /// Creates a count.
    public init(errors: Int = 0, words: Int = 0) {
        self.errors = errors
        self.words = words
    }

    /// The errors in percent of the words that were said.
    public var percent: Double { words > 0 ? 100 * Double(errors) / Double(words) : 0 }

    /// Counts the errors of a text. The time grows with the product of both lengths: an hour of speech takes a second.
    public mutating func count(_ text: String, reference: String) {
        let said = Self.words(of: reference)
        var row = Array(0...said.count)
        for word in SpokenWord.list(text) {
            switch word {
            case .word(let word): row = Self.row(after: [word], row, said)
            case .number(let readings): row = Self.row(after: readings, row, said)
            }
        }
        errors += row[said.count]
        words += said.count
    }

    /// Returns the words that count: each in its likeliest reading, without case and punctuation.
    @_spi(Benchmarks) public static func words(of text: String) -> [String] {
        SpokenWord.list(text).flatMap(\.usual)
    }

    /// Adds two counts.
    public static func + (a: WordErrorCount, b: WordErrorCount) -> WordErrorCount {
        WordErrorCount(errors: a.errors + b.errors, words: a.words + b.words)
    }

    /// Returns the next row of the table of distances. The row before it has the least errors of the text so far
    /// against each beginning of the reference.
    private static func row(after words: [String], _ row: [Int], _ said: [String]) -> [Int] {
        words.reduce(row) { row, word in
            var next = [row[0] + 1]
            for (column, other) in said.enumerated() {
                next.append(min(row[column + 1] + 1, next[column] + 1, row[column] + (word == other ? 0 : 1)))
            }
            return next
        }
    }

    /// Returns the row after a number, with the reading that suits each beginning of the reference best.
    private static func row(after number: NumberReadings, _ row: [Int], _ said: [String]) -> [Int] {
        var rows: [[Int]?] = [row] + Array(repeating: nil, count: number.count)
        for part in number.parts {
            guard let before = rows[part.digits.lowerBound] else { continue }
            let after = Self.row(after: part.words, before, said)
            let end = part.digits.upperBound
            rows[end] = rows[end].map { zip($0, after).map(min) } ?? after
        }
        return rows[number.count] ?? row
    }
}
