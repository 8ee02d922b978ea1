import DictationCore

/// Finds the words of a new text in the old one.
enum TextAlignment {
    /// The greatest number of pieces of both texts. Finding the same words takes a time that grows with its square, so
    /// the words of longer texts just share the time.
    private static let limit = 4_000

    /// Returns the pieces of the new text, with the times of the old pieces that are the same word.
    static func pieces(
        of text: String, saidAs old: [TextPiece], isSpaced: Bool, in range: Range<Duration>
    ) -> [TextPiece] {
        let result = SpeechResult(range: range, text: text)
        var pieces = Tokenizer.pieces(of: result, isSpaced: isSpaced, source: old.first?.source ?? 0)
        var isTimed = Array(repeating: false, count: pieces.count)
        for (index, same) in places(of: pieces, in: old) {
            (pieces[index].range, pieces[index].confidence) = (same.range, same.confidence)
            pieces[index].source = same.source
            isTimed[index] = true
        }
        for index in pieces.indices.dropFirst() where !isTimed[index] {
            pieces[index].source = pieces[index - 1].source
        }
        Tokenizer.spread(&pieces, isTimed, in: range)
        return pieces
    }

    /// Returns the places of the words that both texts have, in order, each with the old piece.
    private static func places(of new: [TextPiece], in old: [TextPiece]) -> [(index: Int, same: TextPiece)] {
        (pairs(of: new.map(\.key), in: old.map(\.key)) ?? []).map { ($0.new, old[$0.old]) }
    }

    /// Returns the indices of the words that both texts have, in order; `nil` for texts that are too long.
    static func pairs(of new: [String], in old: [String]) -> [(new: Int, old: Int)]? {
        guard new.count + old.count <= limit else { return nil }
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        let kept = old.indices.filter { !removed.contains($0) }
        let same = new.indices.filter { !inserted.contains($0) }
        return zip(same, kept).map { ($0, $1) }
    }
}
