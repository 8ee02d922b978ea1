import DictationCore

/// Turns spoken marks and breaks into punctuation, layout and capitals: “hello comma new line” becomes “Hello,” and a line
/// break.
///
/// - A name of a mark after an article, or before “of”, is an ordinary word: “the period”, “a period of time”. So is any
///   name after “literal”. All other names become marks.
/// - A comma, a colon or a semicolon at the beginning of the text, or after a sentence or a break that was said, is an
///   ordinary word: “colon cancer”.
/// - The first word of the text begins with a capital. So does the first word after a sentence or a break that was said.
/// - A comma or a period that the engine wrote beside a spoken mark is removed, because both stand for the same pause.
public struct SpokenPunctuation: TextProcessor {
    private var matcher: PhraseMatcher<SpokenPunctuation.Marks.Meaning>
    /// A mark that the engine wrote, and that a spoken one may replace.
    private var written: TextPiece?
    /// The mark before the next piece, if it was said.
    private var spoken: SpokenPunctuation.Marks.Mark?
    private var needsCapital: Bool
    /// The number of line ends in the breaks right before the next piece.
    private var lineEnds = 0
    /// Whether the last word has periods inside, so that a period after it is a part of it, as in “e.g.”.
    private var isAbbreviated = false

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - marks: The names of the marks.
    ///   - capitalizesStart: Whether the text begins with a capital.
    public init(_ marks: SpokenPunctuation.Marks = .english, capitalizesStart: Bool = true) {
        matcher = PhraseMatcher(marks.table)
        needsCapital = capitalizesStart
    }

    /// Takes the next piece, and appends the pieces that can no longer change.
    public mutating func process(_ piece: TextPiece, into output: inout [TextPiece]) {
        for finding in matcher.next(piece) { take(finding, &output) }
    }

    /// Appends the pieces that were kept.
    public mutating func finish(into output: inout [TextPiece]) {
        for finding in matcher.finish() { take(finding, &output) }
        if let written { put(written, &output) }
        written = nil
    }

    private mutating func take(
        _ finding: PhraseMatcher<SpokenPunctuation.Marks.Meaning>.Finding, _ output: inout [TextPiece]
    ) {
        switch finding {
        case .piece(let piece): take(piece, &output)
        case .phrase(.words, let pieces): for piece in pieces { take(piece, &output) }
        case .phrase(.literal(let count), let pieces):
            for piece in pieces.dropFirst(count) { take(piece, &output) }
        case .phrase(.mark(let mark), let pieces):
            if needsCapital, ",;:".contains(mark.text) {
                for piece in pieces { take(piece, &output) }
                return
            }
            guard let piece = TextPiece.merged(mark.text, pieces) else { return }
            say(mark, piece, &output)
        }
    }

    /// Takes a piece that is no spoken mark.
    private mutating func take(_ piece: TextPiece, _ output: inout [TextPiece]) {
        if piece.isStop, !piece.isSpaced, !piece.isFixed {
            if let spoken, spoken.replacesStops || spoken.isBreak || piece.isComma { return }
            if let written { put(written, &output) }
            written = piece
            return
        }
        if let written { put(written, &output) }
        written = nil
        put(piece, &output)
    }

    private mutating func say(_ mark: SpokenPunctuation.Marks.Mark, _ piece: TextPiece, _ output: inout [TextPiece]) {
        if let written, stays(written, beside: mark) { put(written, &output) }
        written = nil
        var piece = piece
        // Later processors must not take a mark that was said for one that belongs to a word or to a sound.
        piece.isFixed = !mark.isBreak
        piece.isSpaced = mark.kind == .next || mark.kind == .neither
        if mark.isBreak {
            guard lineEnds < 2 else { return }
            if lineEnds == 1 { piece.text = "\n" }
        }
        put(piece, &output)
        spoken = mark
        if mark.startsSentence { needsCapital = true }
    }

    /// Whether a mark that the engine wrote is more than the pause of a spoken one.
    private func stays(_ written: TextPiece, beside mark: SpokenPunctuation.Marks.Mark) -> Bool {
        if written.isComma { return mark.kind == .next }
        return !mark.replacesStops || isAbbreviated && written.text == "." && mark.text != "."
    }

    private mutating func put(_ piece: TextPiece, _ output: inout [TextPiece]) {
        var piece = piece
        if let spoken, spoken.kind == .next || spoken.kind == .both { piece.isSpaced = false }
        if needsCapital, piece.isWord {
            if !piece.isFixed { piece.text = piece.text.capitalizedAtStart }
            needsCapital = false
        }
        isAbbreviated = piece.text.contains(".") && piece.text.contains(where: \.isLetter)
        lineEnds = piece.isBreak ? lineEnds + piece.text.utf8.count : 0
        spoken = nil
        output.append(piece)
    }
}

extension TextPiece {
    fileprivate var isComma: Bool { text == "," || text == "，" || text == "、" }
}

extension SpokenPunctuation.Marks.Mark {
    /// Whether the mark takes the place of a mark that the engine wrote. Quotes and brackets stand beside other marks.
    fileprivate var replacesStops: Bool { kind == .sentence || ",;:…".contains(text) }
}

extension String {
    /// The text with a capital as its first letter, if it is all lowercase.
    var capitalizedAtStart: String {
        guard let first, first.isLowercase, !dropFirst().contains(where: \.isUppercase) else { return self }
        return first.uppercased() + dropFirst()
    }
}
