import DictationCore

/// Removes the last phrase after “scratch that”.
///
/// A phrase begins after a pause, after the end of a sentence, or after a line break. “Scratch that” removes the phrase in
/// which it is said, up to itself; said on its own, it removes the phrase before. Said again at once, it removes nothing
/// more, because that text may be in use already. The last phrase therefore stays pending until the next one begins. Put
/// this after ``SpokenPunctuation``, so that a spoken period ends a phrase.
public struct SpokenUndo: TextProcessor {
    /// The commands in English.
    public static let english = ["scratch that", "strike that", "undo that"]
    /// The greatest number of pieces that stay pending.
    private static let limit = 200

    private let pause: Duration
    private var matcher: PhraseMatcher<Bool>
    private var phrase: [TextPiece] = []
    private var isAfterCommand = false
    /// Whether the text that was removed began with a capital, which the next word then gets.
    private var needsCapital = false

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - commands: What to say.
    ///   - pause: The shortest pause between two phrases.
    public init(_ commands: [String] = Self.english, pause: Duration = .milliseconds(700)) {
        self.pause = pause
        var table = PhraseTable<Bool>()
        for command in commands { table.insert(command, true) }
        matcher = PhraseMatcher(table)
    }

    /// Takes the next piece, and appends the pieces that can no longer change.
    public mutating func process(_ piece: TextPiece, into written: inout [TextPiece]) {
        for finding in matcher.next(piece) { take(finding, &written) }
    }

    /// Appends the pieces that were kept.
    public mutating func finish(into written: inout [TextPiece]) {
        for finding in matcher.finish() { take(finding, &written) }
        written += phrase
    }

    private mutating func take(_ finding: PhraseMatcher<Bool>.Finding, _ written: inout [TextPiece]) {
        var piece: TextPiece
        switch finding {
        case .piece(let next): piece = next
        case .phrase(_, let command):
            let first = phrase.first ?? command.first
            needsCapital = needsCapital || first?.text.first?.isUppercase == true
            phrase = []
            isAfterCommand = true
            return
        }
        // The mark after the command belongs to it.
        if isAfterCommand, piece.isStop, !piece.isSpaced { return }
        isAfterCommand = false
        if needsCapital, piece.isWord {
            if !piece.isFixed { piece.text = piece.text.capitalizedAtStart }
            needsCapital = false
        }
        if let last = phrase.last, begins(piece, after: last) || phrase.count >= Self.limit {
            written += phrase
            phrase = []
        }
        phrase.append(piece)
    }

    private func begins(_ piece: TextPiece, after last: TextPiece) -> Bool {
        piece.isWord && (last.endsSentence || piece.range.lowerBound >= last.range.upperBound + pause)
    }
}
