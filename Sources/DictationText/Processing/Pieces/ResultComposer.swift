import DictationCore

/// Puts written pieces together to results.
///
/// A result ends where the engine's result ended, unless the written text goes on without a space there. A line break
/// begins a new result.
struct ResultComposer: Sendable {
    /// What pieces of a result share.
    struct Source: Sendable {
        var alternatives: [SpeechResult.Alternative]
        var isComplete: Bool
        var isDoubtful: Bool
        var endsInSpeech: Bool
        var speaker: String?
        var hasWords: Bool
        var hasTimes: Bool

        init(_ result: SpeechResult) {
            alternatives = result.alternatives
            (isComplete, isDoubtful, speaker) = (result.isComplete, result.isDoubtful, result.speaker)
            endsInSpeech = result.endsInSpeech
            hasWords = !result.words.isEmpty
            hasTimes = result.words.contains { $0.range != nil }
        }
    }

    /// Whether a space joins two results.
    let usesSpaces: Bool
    private var sources: [Int: Source] = [:]
    private var firstSource = 0
    private var pieces: [TextPiece] = []
    /// Line breaks after the pieces, which belong to the next result if there is one.
    private var breaks: [TextPiece] = []
    private var end = Duration.zero

    init(locale: SpeechLocale) { usesSpaces = locale.join(["a", "b"]) == "a b" }

    mutating func add(_ source: Source, number: Int) { sources[number] = source }

    /// Adds a piece, and returns the result that is complete.
    mutating func add(_ piece: TextPiece) -> SpeechResult? {
        if piece.isBreak {
            breaks.append(piece)
            return nil
        }
        var result: SpeechResult?
        let isNext = piece.source != pieces.last?.lastSource && piece.isSpaced == usesSpaces
        if !pieces.isEmpty, !breaks.isEmpty || isNext { result = takeResult() }
        pieces += breaks + [piece]
        breaks = []
        return result
    }

    /// Returns the last result. What follows is another text, whose times may go back.
    mutating func finish() -> SpeechResult? {
        defer { end = .zero }
        pieces += breaks
        breaks = []
        return pieces.isEmpty ? nil : takeResult()
    }

    private mutating func takeResult() -> SpeechResult? {
        defer { pieces = [] }
        guard let first = pieces.first, let last = pieces.last else { return nil }
        var text = ""
        for piece in pieces {
            if piece.isSpaced, let end = text.last, !end.isNewline, !piece.isBreak { text += " " }
            text += piece.text
        }
        let numbers = first.source...max(first.source, last.lastSource)
        let words = words
        let sources = numbers.compactMap { self.sources[$0] }
        let start = max(end, first.range.lowerBound)
        end = max(start, pieces.reduce(start) { max($0, $1.range.upperBound) })
        let alternatives = numbers.count == 1 ? sources.first?.alternatives : nil
        for number in firstSource..<numbers.upperBound { self.sources[number] = nil }
        firstSource = numbers.upperBound
        self.sources[firstSource]?.alternatives = []
        return SpeechResult(
            range: start..<end, text: text, words: words, alternatives: alternatives ?? [],
            isComplete: sources.allSatisfy(\.isComplete), isDoubtful: sources.contains(where: \.isDoubtful),
            endsInSpeech: sources.last?.endsInSpeech ?? false, speaker: sources.first?.speaker)
    }

    /// The words of the pieces, with the marks that join them.
    private var words: [SpeechResult.Word] {
        var words: [SpeechResult.Word] = []
        var previous: TextPiece?
        for piece in pieces where !piece.isBreak {
            guard let source = sources[piece.source], source.hasWords else { continue }
            let joins = previous.map { !piece.isSpaced && (!piece.isWord || $0.joinsNext) && !$0.isBreak } ?? false
            previous = piece
            if joins, var word = words.popLast() {
                word.text += piece.text
                word.range = word.range.map {
                    $0.lowerBound..<max($0.upperBound, piece.range.upperBound)
                }
                word.confidence = [word.confidence, piece.confidence].compactMap(\.self).min()
                words.append(word)
            } else {
                words.append(
                    .init(piece.text, range: source.hasTimes ? piece.range : nil, confidence: piece.confidence))
            }
        }
        return words
    }
}

extension TextPiece {
    /// Whether a word right after the piece is part of the same word: after an opening quote, a hyphen, or a prefix.
    fileprivate var joinsNext: Bool {
        guard let last = text.unicodeScalars.last else { return false }
        if last.value < 0x80 {
            return !last.properties.isAlphabetic && !(48...57).contains(last.value)
                && !")]},.;:!?".unicodeScalars.contains(last)
        }
        switch last.properties.generalCategory {
        case .openPunctuation, .initialPunctuation, .dashPunctuation, .connectorPunctuation: return true
        default: return false
        }
    }
}
