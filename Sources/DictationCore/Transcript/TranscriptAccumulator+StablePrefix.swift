extension TranscriptAccumulator {
    /// Splits volatile text into a beginning that stays and a rest that may change, so that shown text doesn't flicker.
    ///
    /// A word becomes stable when several hypotheses in a row agree on it and on all words before it. The last word of a
    /// hypothesis is never stable yet. A stable word stays until the result is final or its region is revoked. In a script
    /// without spaces, each character counts as a word.
    public struct StablePrefix: Sendable, Hashable {
        private let agreement: Int
        private var recent: [[Substring]] = []
        private var stableWords: [Substring] = []
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
                let words = text.writtenWords
                stableWords = zip(stableWords, words).prefix { $0 == $1 }.map(\.0)
                recent = []
            }
            return split(text)
        }

        /// Splits a hypothesis for one region into the stable words and the rest.
        public mutating func split(_ text: String) -> (stable: String, rest: String) {
            let words = text.writtenWords
            recent.append(words)
            if recent.count > agreement { recent.removeFirst() }
            if recent.count == agreement {
                let shortest = recent.map { $0.count - 1 }.min() ?? 0
                while stableWords.count < shortest {
                    let index = stableWords.count
                    let word = words[index]
                    guard recent.allSatisfy({ $0[index] == word }) else { break }
                    stableWords.append(word)
                }
            }
            return parts(of: words)
        }

        private func parts(of words: [Substring]) -> (stable: String, rest: String) {
            (stableWords.joinedAsWritten, words.dropFirst(stableWords.count).joinedAsWritten)
        }

        /// Starts over. Call this when volatile text became final.
        public mutating func reset() { self = TranscriptAccumulator.StablePrefix(agreement: agreement) }
    }
}
