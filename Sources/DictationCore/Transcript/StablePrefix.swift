/// Splits volatile text into a beginning that stays and a rest that may change, so that shown text doesn't flicker.
///
/// A word becomes stable when several hypotheses in a row agree on it and on all before it, and none of them ends with
/// it. A stable word is not taken back until the result is final, or its region is revoked.
public struct StablePrefix: Sendable, Hashable {
    private let agreement: Int
    private var recent: [[Substring]] = []
    private var stableWords: [Substring] = []
    private var regions: [Range<Duration>] = []

    /// Makes a splitter; a word is stable once `agreement` hypotheses agree.
    public init(agreement: Int = 2) { self.agreement = max(1, agreement) }

    /// Takes the volatile results as they are now and says what to show.
    ///
    /// Where a region is gone, or one has come up between the others, words that the new text does not have in the same
    /// place are no longer stable: they would hide others.
    public mutating func split(_ tail: [SpeechResult], in locale: SpeechLocale) -> (stable: String, rest: String) {
        let text = locale.join(tail.map(\.text))
        let before = regions
        regions = tail.map(\.range)
        let end = before.last?.upperBound ?? .zero
        let isGone = before.contains { old in !regions.contains { $0.overlaps(old) } }
        let isNew = regions.contains { new in new.lowerBound < end && !before.contains { $0.overlaps(new) } }
        if isGone || isNew {
            let words = text.split(whereSeparator: \.isWhitespace)
            stableWords = zip(stableWords, words).prefix { $0 == $1 }.map(\.0)
            recent = []
        }
        return split(text)
    }

    /// Takes a hypothesis for one region and says what to show.
    public mutating func split(_ text: String) -> (stable: String, rest: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
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
        let rest = words.dropFirst(stableWords.count)
        return (stableWords.joined(separator: " "), rest.joined(separator: " "))
    }

    /// Starts over, when what was volatile has become final.
    public mutating func reset() { self = StablePrefix(agreement: agreement) }
}
