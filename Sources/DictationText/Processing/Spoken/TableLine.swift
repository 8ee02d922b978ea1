import DictationCore

/// A line of a table that a user can write: a first word, and the rest. `#` begins a comment.
struct TableLine {
    var number: Int
    var kind: String
    var rest: String

    /// Returns the lines that are neither empty nor a comment.
    static func lines(of text: String) -> [TableLine] {
        text.meaningfulLines.map { number, line in
            let (kind, rest) = TableLine(number: number, kind: "", rest: line).firstWord
            return TableLine(number: number, kind: kind, rest: rest)
        }
    }

    /// The first word of the rest, and what follows it.
    var firstWord: (word: String, rest: String) {
        let word = rest.prefix { !$0.isWhitespace }
        return (String(word), rest.dropFirst(word.count).trimmed)
    }

    /// Returns an error about the line.
    func error(_ problem: String) -> DictationError {
        DictationError(
            .invalidInput, "Line \(number) of the table, “\(kind) \(rest)”, \(problem)",
            recovery: "Correct the line. The documentation of the table describes its lines.")
    }
}

extension String {
    /// The lines of a file that someone wrote, with their numbers: neither empty lines nor comments, which begin with
    /// `#`. Some editors put an invisible mark of the encoding at the beginning.
    var meaningfulLines: [(number: Int, text: String)] {
        let text = unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
        return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            .map { (number: $0.offset + 1, text: $0.element.trimmed) }
            .filter { !$0.text.isEmpty && !$0.text.hasPrefix("#") }
    }
}

extension StringProtocol {
    /// The text without white space at its beginning and end.
    var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }
}
