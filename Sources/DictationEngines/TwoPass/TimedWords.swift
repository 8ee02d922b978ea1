import DictationCore

/// Gives the words of a text the times and confidence of another engine's words for the same speech.
///
/// A word without a partner has no confidence. Its time is that of the other engine's words in its place, or else lies
/// between its neighbours.
struct TimedWords {
    /// The other engine's words, with their times.
    var heard: [SpeechResult.Word]
    /// The time of the speech.
    var range: Range<Duration>

    /// Returns the words of a text with their times and confidence.
    func words(of text: String) -> [SpeechResult.Word] {
        var words = text.split(whereSeparator: \.isWhitespace).map { SpeechResult.Word(String($0)) }
        let timed = heard.filter { $0.range != nil }
        let pairs = WordPairing(words.map { SpokenWord($0) }, with: timed.map { SpokenWord($0) }).pairs
        var (word, partner, time) = (0, 0, range.lowerBound)
        for pair in pairs {
            let partners = timed[pair.partners]
            let span = Self.span(of: partners) ?? time..<time
            let before = Self.span(of: timed[partner..<pair.partners.lowerBound])
            spread(word..<pair.words.lowerBound, of: &words, over: before ?? time..<max(time, span.lowerBound))
            spread(pair.words, of: &words, over: span)
            let confidence = partners.compactMap(\.confidence).min()
            for index in pair.words { words[index].confidence = confidence }
            (word, partner, time) = (pair.words.upperBound, pair.partners.upperBound, span.upperBound)
        }
        let after = Self.span(of: timed[partner...])
        spread(word..<words.count, of: &words, over: after ?? time..<max(time, range.upperBound))
        return words
    }

    /// Returns a text as an aligner needs it: words of letters alone. Where the text has others, such as "1862", it has
    /// the words that the other engine heard in their place.
    func spoken(_ text: String) -> [String] {
        let words = text.split(whereSeparator: \.isWhitespace).map { SpeechResult.Word(String($0)) }
        let pairs = WordPairing(words.map { SpokenWord($0) }, with: heard.map { SpokenWord($0) }).pairs
        var spoken: [String] = []
        func add(_ indices: Range<Int>, or others: ArraySlice<SpeechResult.Word>) {
            let own = words[indices].map { Self.letters(of: $0.text) }
            spoken += own.contains(nil) ? others.compactMap { Self.letters(of: $0.text) } : own.compactMap { $0 }
        }
        var (word, partner) = (0, 0)
        for pair in pairs {
            add(word..<pair.words.lowerBound, or: heard[partner..<pair.partners.lowerBound])
            add(pair.words, or: heard[pair.partners])
            (word, partner) = (pair.words.upperBound, pair.partners.upperBound)
        }
        add(word..<words.count, or: heard[partner...])
        return spoken.filter { !$0.isEmpty }
    }

    /// Returns the words of a text without punctuation; `nil` if a word has a character that is no letter.
    static func letters(ofWordsIn text: String) -> [String]? {
        let words = text.split(whereSeparator: \.isWhitespace).map { letters(of: String($0)) }
        return words.contains(nil) ? nil : words.compactMap { $0 }.filter { !$0.isEmpty }
    }

    /// Returns a word without the punctuation around it; `nil` if it has a character that is no letter.
    private static func letters(of word: String) -> String? {
        let word = word.map { $0 == "’" ? "'" : $0 }
        let isPart: (Character) -> Bool = { $0.isLetter || $0.isNumber }
        guard let first = word.firstIndex(where: isPart), let last = word.lastIndex(where: isPart) else { return "" }
        let bare = word[first...last]
        return bare.allSatisfy { $0.isLetter || $0 == "'" || $0 == "-" } ? String(bare) : nil
    }

    /// Divides a time among words by the number of their letters.
    private func spread(_ indices: Range<Int>, of words: inout [SpeechResult.Word], over time: Range<Duration>) {
        let weights = words[indices].map { max(1, SpokenWord($0).length) }
        let all = weights.reduce(0, +)
        let length = time.upperBound - time.lowerBound
        var done = 0
        for (index, weight) in zip(indices, weights) {
            let start = time.lowerBound + length * done / all
            done += weight
            words[index].range = start..<(time.lowerBound + length * done / all)
        }
    }

    private static func span(of words: ArraySlice<SpeechResult.Word>) -> Range<Duration>? {
        guard let first = words.first?.range, let last = words.last?.range else { return nil }
        return first.lowerBound..<max(first.lowerBound, last.upperBound)
    }
}

extension SpokenWord {
    /// Creates the spoken form of a word.
    init(_ word: SpeechResult.Word) { self.init(written: word.text[...]) }
}
