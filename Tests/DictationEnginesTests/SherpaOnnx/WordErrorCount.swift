/// How the words of a text differ from those of a reference, without case and punctuation.
struct WordErrorCount: CustomStringConvertible {
    /// Words that are wrong, missing or too many.
    var count = 0
    /// Words in the reference.
    var total = 0
    /// Which words of the text are right.
    var isRight: [Bool] = []

    var rate: Double { total > 0 ? Double(count) / Double(total) : 0 }
    var description: String { "\(count) of \(total) words wrong, \((rate * 1_000).rounded() / 10) %" }

    static func + (a: WordErrorCount, b: WordErrorCount) -> WordErrorCount {
        var sum = WordErrorCount()
        sum.count = a.count + b.count
        sum.total = a.total + b.total
        return sum
    }

    init() {}

    init(_ text: String, reference: String) { self.init(Self.words(text), Self.words(reference)) }

    init(_ words: [String], _ reference: [String]) {
        total = reference.count
        var table = [[Int]](repeating: Array(repeating: 0, count: reference.count + 1), count: words.count + 1)
        for row in 0...words.count {
            for column in 0...reference.count {
                guard row > 0, column > 0 else {
                    table[row][column] = row + column
                    continue
                }
                let same = words[row - 1] == reference[column - 1] ? 0 : 1
                table[row][column] = min(
                    table[row - 1][column - 1] + same, table[row - 1][column] + 1, table[row][column - 1] + 1)
            }
        }
        count = table[words.count][reference.count]
        isRight = Array(repeating: false, count: words.count)
        var (row, column) = (words.count, reference.count)
        while row > 0, column > 0 {
            let same = words[row - 1] == reference[column - 1] ? 0 : 1
            if table[row][column] == table[row - 1][column - 1] + same {
                isRight[row - 1] = same == 0
                row -= 1
                column -= 1
            } else if table[row][column] == table[row - 1][column] + 1 {
                row -= 1
            } else {
                column -= 1
            }
        }
    }

    static func words(_ text: String) -> [String] {
        let plain = text.lowercased().map { $0.isLetter || $0.isNumber || $0 == "'" ? $0 : " " }
        return String(plain).split(separator: " ").map(String.init)
    }
}
