import DictationCore

/// Cuts the text of a result into captions that fit a style.
struct CaptionCutter: Sendable {
    let style: CaptionStyle

    /// Returns the captions of a result from a recording that starts at `offset`.
    func captions(of segment: SpeechResult, offset: Int64) -> [Caption] {
        let pieces = TimedPiece.pieces(of: segment)
        let captions = pieces.map(cut) ?? whole(segment)
        return captions.map { Caption(start: $0.start + offset, end: $0.end + offset, lines: $0.lines) }
    }

    /// Cuts between pieces: when a caption is full, at a pause, or when a caption covers too much time.
    private func cut(_ pieces: [TimedPiece]) -> [Caption] {
        var captions: [Caption] = []
        var current: TimedPiece?
        for piece in pieces {
            guard let last = current else {
                current = piece
                continue
            }
            let joined = last.joined(with: piece)
            if fits(joined, after: last, piece) {
                current = joined
            } else {
                captions += fit(last)
                current = piece
            }
        }
        return captions + (current.map(fit) ?? [])
    }

    private func fits(_ joined: TimedPiece, after last: TimedPiece, _ next: TimedPiece) -> Bool {
        next.range.lowerBound.onTimeline - last.range.upperBound.onTimeline <= style.maximumPause
            && next.range.upperBound.onTimeline - last.range.lowerBound.onTimeline <= style.maximumDuration
            && joined.text.oneLine.wrapped(columns: style.columns).count <= lines
    }

    /// Returns captions for text without word times, spread over its range.
    private func whole(_ segment: SpeechResult) -> [Caption] {
        fit(TimedPiece(text: segment.text, range: segment.range))
    }

    /// Returns as many captions as the text needs, each with an equal share of the time.
    private func fit(_ piece: TimedPiece) -> [Caption] {
        let text = piece.text.oneLine
        guard !text.isEmpty else { return [] }
        let wrapped = text.wrapped(columns: style.columns)
        let (start, end) = (piece.range.lowerBound.milliseconds, piece.range.upperBound.milliseconds)
        let count = (wrapped.count + lines - 1) / lines
        return (0..<count).map { index in
            let span = end - start
            return Caption(
                start: start + span * Int64(index) / Int64(count), end: start + span * Int64(index + 1) / Int64(count),
                lines: Array(wrapped[(index * lines)..<min(wrapped.count, (index + 1) * lines)]))
        }
    }

    private var lines: Int { max(1, min(style.lines, 1_000)) }
}

extension String {
    /// The text on one line, with single spaces.
    var oneLine: String { onOneLine.split(separator: " ").joined(separator: " ") }
}
