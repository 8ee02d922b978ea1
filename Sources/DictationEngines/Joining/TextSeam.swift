import DictationCore

/// Two texts that were recognized in neighboring pieces of audio, so that they read as one text.
///
/// A model writes each piece as whole sentences: it begins with a capital letter and often ends with a full stop, also
/// where the speaker went on in the middle of a sentence.
struct TextSeam: Equatable {
    var first: String
    var second: String

    /// Whether a text ends a sentence.
    static func endsSentence(_ text: String) -> Bool {
        let end = text.reversed().drop { $0.isWhitespace || closing.contains($0) }
        return end.first.map { ".!?\u{2026}。！？".contains($0) } == true && !end.starts(with: "...")
            && end.first != "\u{2026}"
    }

    /// Returns the number of words through the last sentence end in a text; `nil` if no sentence ends in it.
    static func lengthOfSentences(in text: String) -> Int? {
        let words = text.writtenWords
        return words.lastIndex { endsSentence(String($0)) && !isAbbreviation($0) }.map { $0 + 1 }
    }

    /// Whether a full stop after a word means that the word is short, not that a sentence ends.
    private static func isAbbreviation(_ word: Substring) -> Bool {
        let letters = letters(of: word)
        return word.last == "." && (abbreviations.contains(letters) || (letters.count == 1 && letters != "i"))
    }

    private static let abbreviations: Set<String> = ["dr", "etc", "mr", "mrs", "ms", "prof", "st", "vs"]

    private static let closing: Set<Character> = ["\"", "'", ")", "]", "\u{201D}", "\u{2019}", "»"]

    // MARK: At a pause

    /// Joins texts whose audio was cut in a pause. If the sentence went on, the full stop and the capital letter
    /// between the texts go.
    ///
    /// - Parameter names: Words that have a capital letter in the middle of a sentence elsewhere.
    init(pauseBetween first: String, and second: String, names: Set<String> = []) {
        self.first = first
        self.second = second
        guard let last = first.split(separator: " ").last, let next = second.split(separator: " ").first else { return }
        let goesOn = next.first?.isLowercase == true
        if Self.endsSentence(first) {
            guard last.last == ".", goesOn || Self.needsMore.contains(Self.letters(of: last)) else { return }
            self.first = String(first.dropLast())
        }
        if !Self.keepsCapital(next, names) { self.second = next.lowercased() + second.dropFirst(next.count) }
    }

    /// Words that a sentence hardly ever ends with.
    private static let needsMore: Set<String> = [
        "a", "an", "and", "as", "at", "because", "from", "if", "into", "its", "my", "of", "or", "our", "than", "the",
        "their", "to", "whose", "with", "your",
    ]

    private static func keepsCapital(_ word: Substring, _ names: Set<String>) -> Bool {
        let letters = word.filter(\.isLetter)
        if word.contains(where: \.isNumber) || letters.dropFirst().contains(where: \.isUppercase) { return true }
        return letters == "I" || word.hasPrefix("I'") || word.hasPrefix("I\u{2019}")
            || names.contains(Self.letters(of: word))
    }

    /// Returns the words of a text that have a capital letter although they don't begin a sentence. They are names.
    static func names(in text: String) -> Set<String> {
        let words = text.split(separator: " ")
        return Set(
            zip(words, words.dropFirst()).compactMap { before, word in
                word.first?.isUppercase == true && !endsSentence(String(before)) ? letters(of: word) : nil
            })
    }

    // MARK: In an overlap

    /// Joins texts whose audio overlaps: the second begins with the last words of the first. These words come once, with
    /// the punctuation of the second text, which knows how the sentence goes on.
    ///
    /// Returns `nil` if the texts have no word in common there. A model often leaves out the end of a sentence at the
    /// beginning of its audio, and then no word comes twice.
    ///
    /// - Parameter shares: The share of each text's audio that both have.
    init?(overlapOf first: String, and second: String, shares: (first: Double, second: Double)) {
        let (a, b) = (first.writtenWords, second.writtenWords)
        let (tail, head) = (a.suffix(Self.window(shares.first, a.count)), b.prefix(Self.window(shares.second, b.count)))
        let expected = (Self.length(of: shares.first, in: a.reversed()), Self.length(of: shares.second, in: b))
        guard let match = Match(tail.map(Self.letters), head.map(Self.letters), expected: expected) else { return nil }
        let (last, other) = (a[tail.startIndex + match.first.upperBound - 1], b[match.second.upperBound - 1])
        let stems = [Self.stem(of: last), Self.stem(of: other)]
        let stem = stems[0].count < stems[1].count ? stems[1] : stems[0]
        self.first = String(first[..<last.startIndex]) + stem + Self.ending(of: other)
        self.second = b[match.second.upperBound...].first.map { String(second[$0.startIndex...]) } ?? ""
    }

    /// The best run of words that the end of a text and the beginning of the next one have in common.
    private struct Match {
        var first: Range<Int>
        var second: Range<Int>

        /// - Parameter expected: The number of words of each text in the overlap, if people spoke evenly. It tells how
        ///   often a phrase comes in the overlap that was said again and again.
        init?(_ tail: [String], _ head: [String], expected: (first: Double, second: Double)) {
            var best: (score: Double, start: Int, other: Int, length: Int)?
            for start in tail.indices {
                for other in head.indices {
                    var length = 0
                    while start + length < tail.count, other + length < head.count,
                        Self.isSame(tail[start + length], head[other + length])
                    {
                        length += 1
                    }
                    // Each common word outweighs two words that only one text has. A word that was said again is no
                    // further evidence.
                    let common = Set(tail[start..<start + length]).count
                    let evidence = 2 * common - (tail.count - start - length) - other
                    let surprise =
                        abs(Double(tail.count - start) - expected.first)
                        + abs(Double(other + length) - expected.second)
                    let score = Double(evidence) - 1.5 * surprise
                    if length >= Self.leastLength(tail[start]), evidence >= 0, score > best?.score ?? -.infinity {
                        best = (score, start, other, length)
                    }
                }
            }
            guard let best else { return nil }
            first = best.start..<best.start + best.length
            second = best.other..<best.other + best.length
        }

        /// The least number of common words. One common character of a script without spaces is no evidence.
        private static func leastLength(_ word: String) -> Int { word.first?.isWrittenWithoutSpaces == true ? 2 : 1 }

        /// Whether two words are the same, except that the end of one may be cut.
        private static func isSame(_ word: String, _ other: String) -> Bool {
            let (short, long) = word.count < other.count ? (word, other) : (other, word)
            return !short.isEmpty && (short == long || (short.count >= 3 && long.hasPrefix(short)))
        }
    }

    /// The greatest number of words in an overlap. It bounds the work for a text that nobody can have said.
    private static let mostWords = 50

    /// The greatest number of words in a part of a text. People don't speak evenly.
    private static func window(_ share: Double, _ count: Int) -> Int {
        min(count, mostWords, Int((2 * share * Double(count)).rounded(.up)) + 2)
    }

    /// Returns how many words take a share of the time of all words, if people spoke each letter equally fast.
    private static func length(of share: Double, in words: [Substring]) -> Double {
        let lengths = words.map { Double(letters(of: $0).count + 1) }
        var rest = share * lengths.reduce(0, +)
        for (count, length) in lengths.enumerated() {
            if rest < length { return Double(count) + rest / length }
            rest -= length
        }
        return Double(words.count)
    }

    private static func letters(of word: Substring) -> String {
        word.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    private static func ending(of word: Substring) -> Substring {
        word[(word.lastIndex { $0.isLetter || $0.isNumber }.map(word.index(after:)) ?? word.startIndex)...]
    }

    private static func stem(of word: Substring) -> Substring { word.dropLast(ending(of: word).count) }
}
