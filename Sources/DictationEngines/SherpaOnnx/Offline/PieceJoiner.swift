import DictationCore

/// Joins the texts of pieces to one text, in the order of the pieces.
///
/// A final result is one or more whole sentences. Where a piece ends without a long pause, the beginning of its last
/// sentence waits for the rest, which is in the next piece. In live speech a long pause ends any sentence, because a user
/// waits for the text.
struct PieceJoiner: Sendable {
    /// The text of one piece that is not final yet, and when it was said.
    fileprivate struct Part {
        var text: String
        var range: Range<Duration>
    }

    private let isLive: Bool
    private var parts: [Part] = []
    private var ending = PauseCutter.Ending.end
    /// The final result before the parts.
    private var previous = ""

    /// The greatest number of pieces in a sentence. A model that never writes a full stop must not stop the results.
    private static let mostParts = 4

    init(isLive: Bool) { self.isLive = isLive }

    /// The text that waits for the rest of its sentence; `nil` if there is none.
    var waiting: SpeechResult? { Self.result(parts[...]) }

    /// Returns the waiting text together with the text of a piece that is not complete yet.
    func preview(_ text: String, of piece: PauseCutter.Piece) -> SpeechResult? {
        var preview = self
        preview.append(text, piece)
        return preview.waiting
    }

    /// Adds the text of the next piece and returns the results that it made final.
    mutating func add(_ text: String, of piece: PauseCutter.Piece) -> [SpeechUpdate] {
        append(text, piece)
        ending = piece.ending
        return piece.speech != nil && isUnfinished ? finishSentences() : finish(through: piece.end)
    }

    /// Whether the last sentence may go on in the next piece.
    private var isUnfinished: Bool {
        switch ending {
        case .length: true
        case .pause: !isLive && parts.last.map { !TextSeam.endsSentence($0.text) } == true
        case .end: false
        }
    }

    /// Makes all text final, at the end of the audio.
    mutating func flush() -> [SpeechUpdate] {
        ending = .end
        return finish(through: nil)
    }

    private mutating func append(_ text: String, _ piece: PauseCutter.Piece) {
        guard let speech = piece.speech, !text.isEmpty else { return }
        let before = parts.last?.text ?? (ending == .end ? "" : previous)
        let seam =
            overlapSeam(text, piece, speech)
            ?? TextSeam(pauseBetween: before, and: text, names: names(before, text))
        if !parts.isEmpty { parts[parts.count - 1].text = seam.first }
        parts.append(Part(text: seam.second, range: speech))
        parts.removeAll { $0.text.isEmpty }
    }

    private func overlapSeam(_ text: String, _ piece: PauseCutter.Piece, _ speech: Range<Duration>) -> TextSeam? {
        guard let last = parts.last, piece.overlap > .zero else { return nil }
        return TextSeam(
            overlapOf: last.text, and: text,
            shares: (Self.share(piece.overlap, of: last.range), Self.share(piece.overlap, of: speech)))
    }

    private func names(_ texts: String...) -> Set<String> {
        (texts + [previous]).reduce(into: []) { $0.formUnion(TextSeam.names(in: $1)) }
    }

    private static func share(_ overlap: Duration, of speech: Range<Duration>) -> Double {
        overlap / max(overlap, speech.upperBound - speech.lowerBound)
    }

    // MARK: Final results

    /// Makes the sentences final that end before the last part.
    private mutating func finishSentences() -> [SpeechUpdate] {
        guard parts.count > 1 else { return [] }
        for index in parts.indices.dropLast().reversed() {
            guard let count = TextSeam.lengthOfSentences(in: parts[index].text) else { continue }
            let rest = parts[index].split(afterWords: count)
            defer { parts = (rest.map { [$0] } ?? []) + parts[(index + 1)...] }
            return emit(parts[...index])
        }
        guard parts.count > Self.mostParts else { return [] }
        defer { parts.removeFirst(parts.count - 1) }
        return emit(parts.dropLast())
    }

    private mutating func finish(through end: Duration?) -> [SpeechUpdate] {
        defer { parts = [] }
        return emit(parts[...]) + (end.map { [.finalized(through: $0)] } ?? [])
    }

    private mutating func emit(_ parts: ArraySlice<Part>) -> [SpeechUpdate] {
        guard let result = Self.result(parts) else { return [] }
        previous = result.text
        return [.final(result)]
    }

    private static func result(_ parts: ArraySlice<Part>) -> SpeechResult? {
        guard let first = parts.first, let last = parts.last else { return nil }
        let start = first.range.lowerBound
        return SpeechResult(
            range: start..<max(start, last.range.upperBound), text: parts.map(\.text).joined(separator: " "))
    }
}

extension PieceJoiner.Part {
    /// Removes and returns the text after some words. Without word times, the letters tell how long each part took.
    fileprivate mutating func split(afterWords count: Int) -> PieceJoiner.Part? {
        let words = text.split(separator: " ")
        guard count < words.count else { return nil }
        let (first, second) = (
            words[..<count].joined(separator: " "), words[count...].joined(separator: " ")
        )
        let share = Double(first.count) / Double(max(1, text.count))
        let time = range.lowerBound + (range.upperBound - range.lowerBound) * share
        let rest = PieceJoiner.Part(text: second, range: time..<range.upperBound)
        self = PieceJoiner.Part(text: first, range: range.lowerBound..<time)
        return rest
    }
}
