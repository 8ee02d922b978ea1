/// Splits volatile text into a beginning that stays and a rest that may change, so that shown text doesn't flicker.
///
/// A word becomes stable when several hypotheses in a row agree on it and on all before it, and none of them ends with
/// it. A stable word is not taken back until the result is final.
public struct StablePrefix: Sendable, Hashable {
    private let agreement: Int
    private var recent: [[Substring]] = []
    private var stableWords: [Substring] = []

    /// Makes a splitter; a word is stable once so many hypotheses agree.
    public init(agreement: Int = 2) { self.agreement = max(1, agreement) }

    /// Takes a hypothesis and says what to show.
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

    /// Begins anew, when what was volatile has become final.
    public mutating func reset() { self = StablePrefix(agreement: agreement) }
}
