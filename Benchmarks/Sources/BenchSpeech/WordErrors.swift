/// Counts word errors against a reference, without regard to case and punctuation.
package struct WordErrors: Codable {
    package var errors = 0
    package var words = 0
    package init(errors: Int = 0, words: Int = 0) {
        self.errors = errors
        self.words = words
    }

    package var percent: Double { words > 0 ? 100 * Double(errors) / Double(words) : 0 }

    package mutating func count(_ text: String, reference: String) {
        let said = Self.words(reference)
        let heard = Self.words(text)
        var row = Array(0...heard.count)
        for (index, word) in said.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in heard.enumerated() {
                let above = row[column + 1]
                row[column + 1] = min(above + 1, row[column] + 1, diagonal + (word == other ? 0 : 1))
                diagonal = above
            }
        }
        errors += row[heard.count]
        words += said.count
    }

    package static func + (a: WordErrors, b: WordErrors) -> WordErrors {
        WordErrors(errors: a.errors + b.errors, words: a.words + b.words)
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().replacing("-", with: " ").split(separator: " ").compactMap { word in
            let letters = word.filter { $0.isLetter || $0.isNumber || $0 == "'" }
            return letters.isEmpty ? nil : letters
        }
    }
}
