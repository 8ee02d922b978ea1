import DictationCore

/// Removes the sounds that people make while they think: “um, I think, uh, so” becomes “I think, so”.
///
/// A comma that separated only the sound goes with it. If the sound began a sentence, the next word gets its capital.
/// An abbreviation such as “ER” among words in lowercase is no sound, and neither is the unit of “10 mm”, nor “mhm”, which
/// is an answer.
public struct FillerRemoval: TextProcessor {
    /// The sounds of English.
    public static let english = ["um", "umm", "uh", "uhh", "uhm", "er", "erm", "ah", "hm", "hmm", "mm"]

    private var matcher: PhraseMatcher<Bool>
    /// A comma that belongs to the words before it, or to a sound after it.
    private var comma: TextPiece?
    /// The first sound that was removed right before the next piece.
    private var removed: TextPiece?
    private var isStart = true
    /// The last piece that was kept, and the last word.
    private var last: TextPiece?
    private var lastWord: TextPiece?

    /// Creates a processor.
    ///
    /// - Parameter fillers: The sounds or phrases to remove.
    public init(_ fillers: [String] = Self.english) {
        var table = PhraseTable<Bool>()
        for filler in fillers { table.insert(filler, true) }
        matcher = PhraseMatcher(table)
    }

    /// Takes the next piece, and appends the pieces that can no longer change.
    public mutating func process(_ piece: TextPiece, into written: inout [TextPiece]) {
        for finding in matcher.next(piece) { take(finding, &written) }
    }

    /// Appends the pieces that were kept.
    public mutating func finish(into written: inout [TextPiece]) {
        for finding in matcher.finish() { take(finding, &written) }
        if removed == nil, let comma { written.append(comma) }
    }

    private mutating func take(_ finding: PhraseMatcher<Bool>.Finding, _ written: inout [TextPiece]) {
        switch finding {
        case .phrase(_, let pieces) where pieces.count == 1 && isWord(pieces.first):
            for piece in pieces { put(piece, &written) }
        case .phrase(_, let pieces): removed = removed ?? pieces.first
        case .piece(let piece) where piece.text == "," && !piece.isFixed:
            if removed != nil { return }
            if let comma { written.append(comma) }
            comma = piece
        case .piece(let piece): put(piece, &written)
        }
    }

    /// Whether what looks like a sound is an abbreviation or a unit.
    private func isWord(_ piece: TextPiece?) -> Bool {
        guard let piece, let lastWord else { return false }
        if piece.key == "mm", last == lastWord, lastWord.text.last?.isNumber == true { return true }
        return piece.text.count > 1 && piece.text.allSatisfy(\.isUppercase)
            && lastWord.text.contains(where: \.isLowercase)
    }

    private mutating func put(_ piece: TextPiece, _ written: inout [TextPiece]) {
        var piece = piece
        let endsPhrase = piece.isStop || piece.isBreak
        if let comma, removed == nil || !endsPhrase && !isStart { written.append(comma) }
        comma = nil
        if let removed, !endsPhrase {
            piece.isSpaced = piece.isSpaced && removed.isSpaced
            if !piece.isFixed, removed.text.first?.isUppercase == true { piece.text = piece.text.capitalizedAtStart }
        }
        // The marks on both sides of a sound separated only the sound.
        if removed != nil, endsPhrase, !isStart, !piece.isBreak, piece.text == last?.text { return removed = nil }
        removed = endsPhrase && isStart ? removed : nil
        // A sentence that was only a sound leaves no mark.
        if isStart, endsPhrase, removed != nil, !piece.isBreak {
            return
        }
        isStart = piece.endsSentence || isStart && !piece.isWord
        if isStart { removed = nil }
        last = piece
        if piece.isWord { lastWord = piece }
        written.append(piece)
    }
}
