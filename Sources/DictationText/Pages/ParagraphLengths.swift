import DictationCore

/// Finds paragraphs in a text that has none, so that an hour is not one block.
struct ParagraphLengths: Sendable {
    private static let pause = Duration.seconds(2)
    private static let length = Duration.seconds(30)

    /// Whether the text has paragraphs of its own.
    var hasParagraphs = false

    private var began = Duration.zero
    private var ended = Duration.zero
    private var last: TimedPiece?

    /// Returns whether a piece of text starts a paragraph: after a pause, or because the paragraph is long. A result or a
    /// sentence must end there, but not before a pause.
    mutating func isDue(_ piece: TimedPiece, startsResult: Bool) -> Bool {
        let start = piece.range.lowerBound.onTimeline
        defer { (last, ended) = (piece, max(ended, piece.range.upperBound.onTimeline)) }
        if hasParagraphs { return false }
        if start - ended >= Self.pause { return true }
        let endsPhrase = startsResult || last.map { PhraseEnd($0, before: piece).isSentence } ?? true
        return endsPhrase && start - began >= Self.length
    }

    /// Starts to measure a paragraph.
    mutating func start(_ piece: TimedPiece) { began = piece.range.lowerBound.onTimeline }
}
