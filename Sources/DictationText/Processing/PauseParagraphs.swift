import DictationCore

/// Begins a paragraph after a long pause, and divides long paragraphs at the end of a sentence.
///
/// A pause counts at the end of a sentence. In text without punctuation, every long pause counts.
public struct PauseParagraphs: TextProcessor {
    private let pause: Duration
    private let maximumWords: Int
    private var last: TextPiece?
    private var words = 0
    private var hasPunctuation = false

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - pause: The shortest pause between two paragraphs.
    ///   - maximumWords: The number of words after which a paragraph ends with its sentence.
    public init(pause: Duration = .seconds(2), maximumWords: Int = 150) {
        self.pause = pause
        self.maximumWords = maximumWords
    }

    /// Takes the next piece, and appends the pieces that can no longer change.
    public mutating func process(_ piece: TextPiece, into written: inout [TextPiece]) {
        if piece.isBreak { words = 0 }
        if piece.isSpaced, let last, !last.isBreak, !piece.isBreak, isBoundary(last, piece) {
            var paragraph = TextPiece(
                "\n\n", isSpaced: false, range: piece.range.lowerBound..<piece.range.lowerBound,
                confidence: piece.confidence)
            paragraph.source = piece.source
            written.append(paragraph)
            words = 0
        }
        if piece.isWord { words += 1 }
        hasPunctuation = hasPunctuation || piece.isStop
        last = piece
        written.append(piece)
    }

    private func isBoundary(_ last: TextPiece, _ next: TextPiece) -> Bool {
        let isPause = next.pause(after: last) >= pause
        return last.endsSentence ? isPause || words >= maximumWords : isPause && !hasPunctuation
    }
}
