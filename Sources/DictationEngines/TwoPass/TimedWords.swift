import DictationCore

/// Gives the words of a text the times of another engine's words for the same speech, and a confidence.
///
/// The time of a word without a partner is that of the other engine's words in its place, if there are any.
struct TimedWords {
    /// The other engine's words, with their times.
    var heard: [SpeechResult.Word]

    /// Returns the words of a text with their times. A word that the other engine wrote, too, is certain. For any other
    /// word, the confidence is unknown: the other engine's is that of another word.
    func agreedWords(of text: String) -> [SpeechResult.Word] {
        words(of: text) { words, partners in
            let others = partners.map { SpokenWord($0).text }.joined()
            return words.map { SpokenWord($0).text }.joined() == others ? 1 : nil
        }
    }

    /// Returns the words of a text with their times and confidence, as far as the same engine's words have them.
    func words(of text: String) -> [SpeechResult.Word] {
        words(of: text) { _, partners in partners.compactMap(\.confidence).min() }
    }

    private func words(
        of text: String,
        confidence: (_ words: ArraySlice<SpeechResult.Word>, _ partners: ArraySlice<SpeechResult.Word>) -> Double?
    ) -> [SpeechResult.Word] {
        var words = text.writtenWords.map { SpeechResult.Word(String($0)) }
        let timed = heard.filter { $0.range != nil }.flatMap(\.writtenWords)
        let pairs = WordPairing(words.map { SpokenWord($0) }, with: timed.map { SpokenWord($0) }).pairs
        var (word, partner) = (0, 0)
        func place(_ indices: Range<Int>, at partners: ArraySlice<SpeechResult.Word>) {
            guard let first = partners.first?.range, let last = partners.last?.range else { return }
            let time = first.lowerBound..<max(first.lowerBound, last.upperBound)
            for (index, time) in zip(indices, [SpeechResult.Word].shares(of: time, words[indices])) {
                words[index].range = time
            }
        }
        for pair in pairs {
            place(word..<pair.words.lowerBound, at: timed[partner..<pair.partners.lowerBound])
            place(pair.words, at: timed[pair.partners])
            let confidence = confidence(words[pair.words], timed[pair.partners])
            for index in pair.words { words[index].confidence = confidence }
            (word, partner) = (pair.words.upperBound, pair.partners.upperBound)
        }
        place(word..<words.count, at: timed[partner...])
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
}

extension SpeechResult.Word {
    /// The characters of a word in a script without spaces, each with its share of the time; otherwise the word.
    fileprivate var writtenWords: [SpeechResult.Word] {
        let words = text.writtenWords.map { SpeechResult.Word(String($0), confidence: confidence) }
        guard let range, words.count > 1 else { return [self] }
        return zip(words, [Self].shares(of: range, words[...])).map { word, time in
            SpeechResult.Word(word.text, range: time, confidence: confidence)
        }
    }
}

extension SpokenWord {
    /// Creates the spoken form of a word.
    init(_ word: SpeechResult.Word) { self.init(written: word.text[...]) }
}
