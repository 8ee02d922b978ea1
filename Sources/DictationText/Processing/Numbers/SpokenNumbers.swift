import DictationCore

/// Writes spoken numbers with digits: cardinals, ordinals, decimals, years, dates, times, percentages, amounts of money
/// and strings of digits.
///
/// - A cardinal or an ordinal below ten that stands alone stays a word, because “one” and “second” are often no numbers.
///   With a unit, a label or more digits it is a number: “5%”, “$5”, “page 5”, “3 PM”, “747”.
/// - “A hundred”, “a thousand” and “a million” stay words unless more of the number follows.
/// - Numbers of four digits have no separator, so that years look like years: “2024”, but “20,240”.
/// - After “at” and before “in the morning”, two numbers that can be an hour and minutes are a time.
/// - A unit after two numbers is that of both: “$5 to $10”, “5 or 6%”, “3 to 4 PM”.
/// - A month's name that is also another word, such as “may”, begins a date only before an ordinal or a year.
/// - A comma that an engine wrote inside a number goes: “March, third, twenty twenty four” is “March 3, 2024”, and “one
///   hundred, and twenty” is “120”. In a list it stays: “five, six, seven”, “100, 50”. So does a comma that the user said.
/// - A sound such as “uh” inside a number goes, too: “two hundred uh and five” is “205”.
/// - Two digits after an amount of money are cents: “nine dollars ninety nine”. Before a word that counts, such as “hours” or
///   “times”, they are a number.
public struct SpokenNumbers: TextProcessor {
    /// The greatest number of pieces that stay pending.
    private static let limit = 60

    private let words: SpokenNumbers.Words
    private var matcher: PhraseMatcher<NumberWord>
    private var run: [NumberToken] = []
    /// Whether the last piece before the run has digits.
    private var followsNumber = false

    /// Creates a processor.
    ///
    /// - Parameter words: The words of the language.
    public init(_ words: SpokenNumbers.Words = .english) {
        self.words = words
        matcher = PhraseMatcher(words.table)
    }

    /// Takes the next piece, and appends the pieces that can no longer change.
    public mutating func process(_ piece: TextPiece, into written: inout [TextPiece]) {
        for part in parts(of: piece) {
            for finding in matcher.next(part) { take(finding, &written) }
        }
    }

    /// Appends the pieces that were kept.
    public mutating func finish(into written: inout [TextPiece]) {
        for finding in matcher.finish() { take(finding, &written) }
        writeRun(&written)
    }

    private mutating func take(_ finding: PhraseMatcher<NumberWord>.Finding, _ written: inout [TextPiece]) {
        switch finding {
        case .phrase(let word, let pieces):
            run.append(NumberToken(word: word, pieces: Array(pieces)))
            if run.count >= Self.limit { writeRun(&written) }
        case .piece(let piece) where piece.text == "," && !piece.isFixed && !run.isEmpty && run.last?.word != .comma:
            run.append(NumberToken(word: .comma, pieces: [piece]))
        case .piece(let piece) where words.hesitations.contains(piece.key) && !piece.isFixed && !run.isEmpty:
            run[run.count - 1].pause.append(piece)
        case .piece(let piece) where piece.text == "," && !piece.isFixed && run.last?.pause.last?.isWord == true:
            run[run.count - 1].pause.append(piece)
        case .piece(let piece):
            writeRun(&written, isCounting: words.counted.contains(piece.key))
            written.append(piece)
            followsNumber = piece.text.contains(where: \.isNumber)
        }
    }

    private mutating func writeRun(_ written: inout [TextPiece], isCounting: Bool = false) {
        guard !run.isEmpty else { return }
        let tokens = InnerCommas.joining(run, words)
        let writer = NumberWriter(
            words: words, tokens: tokens, followsNumber: followsNumber, isCounting: isCounting)
        let pieces = writer.pieces
        written += pieces
        followsNumber = pieces.last?.text.contains(where: \.isNumber) ?? false
        run = []
    }

    /// Cuts a word such as “twenty-three” at its hyphens. If the parts are no number, they become the same text again.
    private func parts(of piece: TextPiece) -> [TextPiece] {
        guard !piece.isFixed, piece.key.utf8.contains(UInt8(ascii: "-")) else { return [piece] }
        let keys = piece.key.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        let texts = piece.text.split(separator: "-", omittingEmptySubsequences: false)
        guard keys.count == texts.count, keys.allSatisfy({ words.table[$0] != nil }) else { return [piece] }
        var parts = zip(texts, keys).enumerated().map { index, part in
            var new = piece
            new.text = index == 0 ? String(part.0) : "-" + part.0
            new.key = part.1
            new.isSpaced = index == 0 && piece.isSpaced
            return new
        }
        Tokenizer.spread(&parts, parts.map { _ in false }, in: piece.range)
        return parts
    }
}

/// A word of a number, and the pieces in which it was said.
struct NumberToken: Sendable {
    var word: NumberWord
    var pieces: [TextPiece]
    /// A comma and sounds such as “uh” after the word, which a number leaves out if it goes on.
    var pause: [TextPiece] = []

    /// The words as they were said.
    var text: String { pieces.map(\.text).joined(separator: " ") }
}
