import DictationCore

extension PieceJoiner {
    /// Returns the waiting text together with the text of a piece that is not complete yet.
    func preview(_ text: String, of piece: PauseCutter.Piece) -> SpeechResult? {
        preview(piece.result(text), overlapStart: piece.overlapStart)
    }

    /// Adds the text of the next piece and returns the results that it made final.
    mutating func add(_ text: String, of piece: PauseCutter.Piece) -> [SpeechUpdate] {
        let results = add(piece.result(text), overlapStart: piece.overlapStart, piece.ending)
        return results.map { .final($0) } + (isWaiting ? [] : [.finalized(through: piece.end)])
    }
}

extension PauseCutter.Piece {
    fileprivate var overlapStart: Duration? { overlap > .zero ? start : nil }

    fileprivate func result(_ text: String) -> SpeechResult? { speech.map { SpeechResult(range: $0, text: text) } }
}
