import DictationCore

/// Removes the last phrase after “scratch that”.
///
/// A phrase begins after a pause, after the end of a sentence, or after a line break. A mark or a line break that is said
/// after a pause is a phrase of its own. “Scratch that” removes the phrase in which it is said, up to itself; said on its
/// own, it removes the phrase before. Said again at once, it removes nothing more, because that text may be in use already.
/// The last phrase therefore stays pending until the next one begins. After words such as “to” and “can’t”, the command is ordinary text: “I had to scratch that itch.” Put this after
/// ``SpokenPunctuation``, so that a spoken period ends a phrase.
public struct SpokenUndo: TextProcessor {
    /// The commands in English.
    public static let english = ["scratch that", "strike that", "undo that"]
    /// Words after which a command is ordinary text.
    private static let verbs = [
        "to", "can", "can't", "cannot", "could", "couldn't", "did", "didn't", "do", "don't", "doesn't", "let's", "may",
        "might", "must", "not", "should", "shouldn't", "will", "won't", "would", "wouldn't",
    ]
    /// The greatest number of pieces that stay pending.
    private static let limit = 200

    private let pause: Duration
    private var matcher: PhraseMatcher<Bool>
    private var phrase: [TextPiece] = []
    private var isAfterCommand = false
    /// The place of the text that was removed right before the next piece.
    private var place: Place?

    private struct Place {
        /// Whether a quote or the like was joined to the text.
        var joinsPrevious: Bool
        /// Whether the text began with a capital.
        var hasCapital: Bool

        init(of phrase: [TextPiece], and command: ArraySlice<TextPiece>) {
            let all = phrase + command
            joinsPrevious = all.first.map { $0.isWord && !$0.isSpaced } ?? false
            // The command may have its capital from a period or a break that is removed with it.
            let words = phrase.contains(where: \.endsSentence) ? phrase : all
            hasCapital = words.first(where: \.isWord)?.text.first?.isUppercase ?? false
        }
    }

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - commands: What to say.
    ///   - pause: The shortest pause between two phrases.
    public init(_ commands: [String] = Self.english, pause: Duration = .milliseconds(700)) {
        self.pause = pause
        var table = PhraseTable<Bool>()
        for command in commands {
            table.insert(command, true)
            for verb in Self.verbs { table.insert("\(verb) \(command)", false) }
        }
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
        switch finding {
        case .piece(let piece): take(piece, &written)
        case .phrase(true, let command): undo(command)
        case .phrase(false, let pieces):
            guard let verb = pieces.first, let command = pieces.dropFirst().first, begins(command, after: verb) else {
                for piece in pieces { take(piece, &written) }
                return
            }
            take(verb, &written)
            undo(pieces.dropFirst())
        }
    }

    private mutating func undo(_ command: ArraySlice<TextPiece>) {
        place = place ?? Place(of: phrase, and: command)
        phrase = []
        isAfterCommand = true
    }

    private mutating func take(_ piece: TextPiece, _ written: inout [TextPiece]) {
        var piece = piece
        // The mark after the command belongs to it.
        if isAfterCommand, piece.isStop, !piece.isSpaced { return }
        isAfterCommand = false
        if let place { put(&piece, in: place) }
        if let last = phrase.last, begins(piece, after: last) || phrase.count >= Self.limit {
            written += phrase
            phrase = []
        }
        phrase.append(piece)
    }

    private mutating func put(_ piece: inout TextPiece, in place: Place) {
        if place.joinsPrevious { piece.isSpaced = false }
        self.place?.joinsPrevious = false
        guard piece.isWord else { return }
        if place.hasCapital, !piece.isFixed { piece.text = piece.text.capitalizedAtStart }
        self.place = nil
    }

    private func begins(_ piece: TextPiece, after last: TextPiece) -> Bool {
        if piece.isWord, last.endsSentence { return true }
        // A mark that was not said belongs to the word before it.
        let isSaid = piece.isWord || piece.isFixed || piece.isBreak
        return isSaid && piece.pause(after: last) >= pause
    }
}
