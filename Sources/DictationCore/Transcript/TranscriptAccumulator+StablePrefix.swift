extension TranscriptAccumulator {
    /// Splits volatile text into a beginning that stays and a rest that may change, so that shown text doesn't flicker.
    ///
    /// A word becomes stable when several hypotheses in a row agree on it and on all words before it. The last word of a
    /// hypothesis is never stable yet. A stable word stays until the result is final or its region is revoked. In a script
    /// without spaces, each character counts as a word.
    public struct StablePrefix: Sendable, Hashable {
        private let agreement: Int
        private var recent: [[Word]] = []
        private var stableWords: [Word] = []
        private var last: [SpeechResult] = []

        /// Creates a splitter.
        ///
        /// - Parameter agreement: The number of hypotheses in a row that must agree on a word.
        public init(agreement: Int = 2) { self.agreement = max(1, agreement) }

        /// Splits the current volatile results.
        ///
        /// Results that are the same as at the last call are no new hypothesis, so it may be called at any event. If a region
        /// disappeared, or a new one lies between the others, only the stable words that the new text still begins with stay
        /// stable.
        ///
        /// - Parameters:
        ///   - tail: All volatile results, in order.
        ///   - locale: The language, which decides whether spaces join the results.
        /// - Returns: The stable words, and the rest of the text.
        public mutating func split(_ tail: [SpeechResult], in locale: SpeechLocale) -> (stable: String, rest: String) {
            if tail == last, let words = recent.last { return parts(of: words) }
            let text = locale.join(tail.map(\.text))
            let (before, regions) = (last.map(\.range), tail.map(\.range))
            last = tail
            let end = before.last?.upperBound ?? .zero
            let isGone = before.contains { old in !regions.contains { $0.overlaps(old) } }
            let isNew = regions.contains { new in new.lowerBound < end && !before.contains { $0.overlaps(new) } }
            if isGone || isNew {
                stableWords = zip(stableWords, Word.all(of: text)).prefix { $0.text == $1.text }.map(\.0)
                recent = []
            }
            return split(text)
        }

        /// Splits a hypothesis for one region into the stable words and the rest.
        public mutating func split(_ text: String) -> (stable: String, rest: String) {
            let words = Word.all(of: text)
            recent.append(words)
            if recent.count > agreement { recent.removeFirst() }
            if recent.count == agreement {
                let shortest = recent.map { $0.count - 1 }.min() ?? 0
                while stableWords.count < shortest {
                    let index = stableWords.count
                    let word = words[index]
                    guard recent.allSatisfy({ $0[index].text == word.text }) else { break }
                    stableWords.append(word)
                }
            }
            return parts(of: words)
        }

        private func parts(of words: [Word]) -> (stable: String, rest: String) {
            (stableWords.text, Array(words.dropFirst(stableWords.count)).text)
        }

        /// Starts over. Call this when volatile text became final.
        public mutating func reset() { self = TranscriptAccumulator.StablePrefix(agreement: agreement) }
    }

    /// A word as it is written, and whether a space comes before it: a character of a script without spaces has none.
    fileprivate struct Word: Sendable, Hashable {
        var text: Substring
        var followsSpace: Bool

        static func all(of text: String) -> [Word] {
            var end = text.startIndex
            return text.writtenWords.map { word in
                defer { end = word.endIndex }
                return Word(text: word, followsSpace: text[end..<word.startIndex].contains(where: \.isWhitespace))
            }
        }
    }
}

extension [TranscriptAccumulator.Word] {
    fileprivate var text: String {
        reduce(into: "") { $0 += ($0.isEmpty || !$1.followsSpace ? "" : " ") + $1.text }
    }
}
