/// A phrase that follows itself at least twice, such as "no no no".
struct Repetition: Sendable, Hashable {
    /// The words of the phrase.
    let phrase: ArraySlice<SpokenWord>
    /// How often the phrase comes, at least three times.
    let count: Int
    /// The number of letters in all repetitions together.
    let length: Int

    /// The most words that a phrase may have. It bounds the work for a long text.
    private static let longestPhrase = 24
    /// The least number of letters in all repetitions together. Fewer take no time to say.
    private static let leastLength = 12

    /// Finds the repetition that covers the most words. There is none if no phrase comes three times in a row.
    init?(in words: [SpokenWord]) {
        var best: (range: Range<Int>, period: Int)?
        for period in 1...Self.longestPhrase where 3 * period <= words.count {
            var start = 0
            for index in period...words.count
            where index == words.count || words[index].text != words[index - period].text {
                let count = (index - start) / period
                let range = start..<(start + count * period)
                if count >= 3, range.count > best?.range.count ?? 0 { best = (range, period) }
                start = index - period + 1
            }
        }
        guard let best else { return nil }
        phrase = words[best.range].prefix(best.period)
        count = best.range.count / best.period
        length = words[best.range].reduce(0) { $0 + $1.length }
        guard length >= Self.leastLength else { return nil }
    }
}
