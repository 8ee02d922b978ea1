import DictationCore

/// The sentences of a transcript, ranked by how typical their words are.
struct SentenceRanking {
    private struct Sentence {
        var text = ""
        var keys: [String] = []
    }

    /// The sentences that are too short to say much.
    private static let fewestWords = 4

    private let sentences: [Sentence]
    private let counts: [String: Int]

    init(of transcript: Transcript) {
        var sentences: [Sentence] = []
        var current = Sentence()
        var counts: [String: Int] = [:]
        func end() {
            if !current.keys.isEmpty { sentences.append(current) }
            current = Sentence()
        }
        let hasMarks = transcript.segments.contains { $0.text.contains { ".?!。？！".contains($0) } }
        var stretch = ""
        for segment in transcript.segments {
            var isFirst = true
            for (text, isSpaced) in Tokenizer.texts(of: segment.text) {
                let piece = TextPiece(text, range: segment.range)
                let gap =
                    isFirst
                    ? transcript.locale.join([stretch, "a"]).dropFirst(stretch.count).dropLast() : isSpaced ? " " : ""
                if !piece.isBreak, !current.text.isEmpty { current.text += gap }
                stretch = text
                isFirst = false
                if !piece.isBreak { current.text += text }
                if piece.isWord { current.keys.append(piece.key) }
                if piece.endsSentence { end() }
            }
            // Without any marks, a result is a sentence.
            if !hasMarks { end() }
        }
        end()
        for key in sentences.flatMap(\.keys) { counts[key, default: 0] += 1 }
        (self.sentences, self.counts) = (sentences, counts)
    }

    var isOneSentence: Bool { sentences.count == 1 }

    /// Returns the best sentences in their order.
    ///
    /// - Parameter isTitle: Whether earlier sentences count more, because people begin with their subject.
    func best(_ count: Int, isTitle: Bool = false) -> [String] {
        let common = commonWords
        let scores = sentences.enumerated().map { index, sentence -> Double in
            let weights = sentence.keys.map { common.contains($0) ? 0 : Double(counts[$0] ?? 0) }
            // The root keeps long sentences from winning by their length alone.
            let score = weights.reduce(0, +) / Double(max(1, sentence.keys.count)).squareRoot()
            let isShort = sentence.keys.count < Self.fewestWords
            return score * (isShort ? 0.2 : 1) / (isTitle ? 1 + 0.1 * Double(index) : 1)
        }
        let best = sentences.indices.sorted { scores[$0] == scores[$1] ? $0 < $1 : scores[$0] > scores[$1] }
        return best.prefix(count).sorted().map { sentences[$0].text }
    }

    /// The words that say little: short ones, and those in many of the sentences. This needs no list for a language.
    private var commonWords: Set<String> {
        guard sentences.count > 5 else { return Set(counts.keys.filter { $0.count < 4 }) }
        var spread: [String: Int] = [:]
        for sentence in sentences { for key in Set(sentence.keys) { spread[key, default: 0] += 1 } }
        return Set(counts.keys.filter { $0.count < 4 || (spread[$0] ?? 0) * 4 > sentences.count })
    }
}
