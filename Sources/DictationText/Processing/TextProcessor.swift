/// Turns recognized text into written text, piece by piece.
///
///     let written = transcript.processed(by: [SpokenPunctuation(), SpokenNumbers()])
///
/// Choose: ``WrittenVocabulary``, ``SpokenPunctuation``, ``SpokenUndo``, ``SpokenNumbers``, ``FillerRemoval`` and
/// ``PauseParagraphs``, usually in this order.
///
/// Use: pass processors to `Transcript.processed(by:)`, or to a ``TextProcessorChain`` while the text arrives.
///
/// Implement: a value that keeps the pieces that a later piece could still change, and returns all others. Keep only a
/// limited number, because text that is kept appears late. Never change a piece with ``TextPiece/isFixed``.
///
/// Test: the text must not depend on how it was cut into results, and processing written text again should not change it.
public protocol TextProcessor: Sendable {
    /// Takes the next piece, and appends the pieces that can no longer change.
    mutating func process(_ piece: TextPiece, into written: inout [TextPiece])

    /// Appends the pieces that were kept, because the text ends. No call follows.
    mutating func finish(into written: inout [TextPiece])
}

extension TextProcessor {
    /// Keeps no pieces.
    public mutating func finish(into written: inout [TextPiece]) {}
}
