import DictationCore

/// Cuts the text of a result into captions that fit a style.
struct CaptionCutter: Sendable {
    let style: CaptionStyle

    /// Returns the captions of a result from a recording that starts at `offset`. The first one starts with a name.
    func captions(
        of segment: SpeechResult, startingWith name: String, offset: Int64, without lost: LostAudio
    ) -> [Caption] {
        var pieces = TimedPiece.pieces(of: segment) ?? TimedPiece.estimates(of: segment, without: lost)
        for index in pieces.indices { pieces[index].range = lost.spoken(pieces[index].range) }
        if !pieces.isEmpty { pieces[0].text = name + pieces[0].text }
        return cut(pieces, lost).enumerated().map { index, caption in
            Caption(
                start: caption.start + offset, end: caption.end + offset, lines: caption.lines,
                speaker: segment.speakerName, isNamed: index == 0 && !name.isEmpty)
        }
    }

    /// Returns a caption that starts with its speaker's name, and a second one for the lines that no longer fit.
    func named(_ caption: Caption) -> (caption: Caption, rest: Caption?) {
        guard let speaker = caption.speaker else { return (caption, nil) }
        let wrapped = "\(speaker): \(caption.lines.joined(separator: " "))".wrapped(columns: style.columns)
        var (first, rest) = (caption, caption)
        first.isNamed = true
        first.lines = Array(wrapped.prefix(lines))
        rest.lines = Array(wrapped.dropFirst(lines))
        guard !rest.lines.isEmpty else { return (first, nil) }
        let share = Double(first.width) / Double(max(1, first.width + rest.width))
        first.end = caption.start + Int64(Double(caption.end - caption.start) * share)
        rest.start = first.end
        return (first, rest)
    }

    /// Cuts at pauses and lost audio, and at the best place between pieces when a caption is full or covers too much time.
    private func cut(_ pieces: [TimedPiece], _ lost: LostAudio) -> [Caption] {
        func mustEnd(before index: Int) -> Bool {
            pieces[index - 1].pause(before: pieces[index]) > style.maximumPause
                || lost.separates(pieces[index - 1].range.upperBound, pieces[index].range.lowerBound)
        }
        var captions: [Caption] = []
        var rest = pieces[...]
        while let first = rest.first {
            var (joined, end) = (first, rest.startIndex + 1)
            while end < rest.endIndex, !mustEnd(before: end) {
                let longer = joined.joined(with: rest[end])
                guard fits(longer) else { break }
                (joined, end) = (longer, end + 1)
            }
            if end < rest.endIndex, !mustEnd(before: end) {
                end = bestCut(of: rest, upTo: end)
                joined = rest[..<end].dropFirst().reduce(first) { $0.joined(with: $1) }
            }
            captions += fit(joined)
            rest = rest[end...]
        }
        return captions
    }

    private func fits(_ piece: TimedPiece) -> Bool {
        piece.range.upperBound.onTimeline - piece.range.lowerBound.onTimeline <= style.maximumDuration
            && piece.text.oneLine.wrapped(columns: style.columns).count <= lines
    }

    /// Returns where to cut a caption that can't take more than the pieces up to `limit`. Prefers the end of a sentence or a
    /// phrase to a full caption, and a caption that can be read in its time.
    private func bestCut(of pieces: ArraySlice<TimedPiece>, upTo limit: Int) -> Int {
        let widths = pieces[..<limit].map { Double($0.text.displayWidth) }
        let whole = max(1, widths.reduce(0, +))
        var (best, highest, width) = (limit, -Double.infinity, 0.0)
        for (index, next) in zip(pieces.indices.dropFirst(), widths) where index <= limit {
            width += next
            // A short caption would flash by.
            guard width >= whole * 0.4 else { continue }
            let quality = width / whole + PhraseEnd(pieces[index - 1], before: pieces[index]).quality
            let time = pieces[index].range.lowerBound.onTimeline - pieces[pieces.startIndex].range.lowerBound.onTimeline
            let score = quality - haste(width, time)
            if score >= highest { (best, highest) = (index, score) }
        }
        return best
    }

    /// Returns how much too fast a viewer must read: 0 for the speed of the style or less, at most a half.
    private func haste(_ width: Double, _ time: Duration) -> Double {
        guard style.columnsPerSecond > 0 else { return 0 }
        let needed = width / Double(style.columnsPerSecond)
        return min(0.5, max(0, needed / max(0.001, time / .seconds(1)) - 1) / 2)
    }

    /// Returns as many captions as the text needs, each with an equal share of the time.
    private func fit(_ piece: TimedPiece) -> [Caption] {
        let text = piece.text.oneLine
        guard !text.isEmpty else { return [] }
        let wrapped = text.wrapped(columns: style.columns)
        let (start, end) = (piece.range.lowerBound.milliseconds, piece.range.upperBound.milliseconds)
        let count = (wrapped.count + lines - 1) / lines
        // A word that is too long for a line is cut without a space.
        let hasWholeWords = wrapped.joined(separator: " ") == text
        return (0..<count).map { index in
            let span = end - start
            let shown = wrapped[(index * lines)..<min(wrapped.count, (index + 1) * lines)]
            return Caption(
                start: start + span * Int64(index) / Int64(count), end: start + span * Int64(index + 1) / Int64(count),
                lines: hasWholeWords ? PhraseEnd.balanced(Array(shown), columns: style.columns) : Array(shown))
        }
    }

    private var lines: Int { max(1, min(style.lines, 1_000)) }
}
