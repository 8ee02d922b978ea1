import DictationCore

extension PieceJoiner {
    /// Adds the text of the next piece and returns the results that it made final.
    mutating func add(_ text: String, of piece: PauseCutter.Piece) -> [SpeechUpdate] {
        let results = add(piece.result(text), overlapStart: piece.overlapStart, piece.ending)
        return results.map { .final($0) } + (isWaiting ? [] : [.finalized(through: piece.end)])
    }
}

extension PauseCutter.Piece {
    /// The beginning of the piece's audio if the piece before has that too.
    var overlapStart: Duration? { overlap > .zero ? start : nil }

    /// Returns the piece's result; `nil` for a piece without speech.
    func result(_ text: String) -> SpeechResult? { speech.map { SpeechResult(range: $0, text: text) } }
}
