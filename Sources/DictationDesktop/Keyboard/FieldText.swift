import DictationCore

/// Fits dictated text to the text before the cursor.
enum FieldText {
    /// The first words of English sentences that are no names. Only these get a small letter within a sentence.
    private static let smallWords: Set<String> = [
        "a", "about", "after", "all", "also", "an", "and", "are", "as", "at", "be", "because", "before", "but", "by",
        "can",
        "could", "did", "do", "does", "for", "from", "get", "go", "had", "has", "have", "he", "her", "here", "his",
        "how",
        "if", "in", "is", "it", "its", "just", "let", "like", "maybe", "more", "my", "no", "not", "now", "of", "on",
        "one",
        "only", "or", "our", "out", "please", "she", "should", "so", "some", "than", "that", "the", "their", "them",
        "then",
        "there", "these", "they", "this", "those", "to", "too", "two", "up", "was", "we", "were", "what", "when",
        "where",
        "which", "while", "who", "why", "will", "with", "would", "yes", "you", "your",
    ]
    private static let openers: Set<Character> = ["(", "[", "{", "“", "‘", "«", "„", "¿", "¡", "/", "-", "@", "#"]
    private static let closers: Set<Character> = [".", ",", ";", ":", "!", "?", ")", "]", "}", "”", "’", "»", "…", "%"]
    private static let sentenceEnds: Set<Character> = [".", "!", "?", "…", "。", "！", "？", "\n"]

    /// Returns a piece of dictated text with the space and the capital that fit to the text before it.
    ///
    /// - Parameters:
    ///   - piece: The piece. A space at its beginning separates it from what was said before.
    ///   - before: The text before the cursor; `nil` if it is unknown. The piece then stays as it is.
    ///   - hasCapitals: Whether its first word may be the first of a sentence.
    static func fitted(_ piece: String, after before: String?, hasCapitals: Bool, locale: SpeechLocale) -> String {
        guard let before else { return piece }
        var words = String(piece.drop { $0 == " " })
        guard let first = words.first else { return piece }
        if hasCapitals { words = capitalized(words, after: before, locale) }
        let isApart = before.last.map { $0.isWhitespace } ?? true
        if isApart || isOpen(before) || first.isWhitespace || closers.contains(first) { return words }
        // Text in Japanese may be in a field of an English profile, and the other way round.
        let last = String(before.suffix(1))
        let hasSpace = [last, words].joinedAsWritten.utf8.count > last.utf8.count + words.utf8.count
        return hasSpace ? " " + words : words
    }

    /// Whether a text ends with a mark that no space follows.
    private static func isOpen(_ text: String) -> Bool {
        guard let last = text.last else { return true }
        guard last == "\"" || last == "'" else { return openers.contains(last) }
        // The first of two quotation marks has a space before it.
        return text.dropLast().last.map { $0.isWhitespace } ?? true
    }

    private static func capitalized(_ words: String, after before: String, _ locale: SpeechLocale) -> String {
        guard let first = words.first else { return words }
        let end = before.last { $0 == "\n" || !$0.isWhitespace && !closingMarks.contains($0) }
        if end.map({ sentenceEnds.contains($0) }) ?? true { return first.uppercased() + words.dropFirst() }
        guard locale.language == "en" else { return words }
        let word = words.prefix { $0.isLetter }
        guard smallWords.contains(word.lowercased()), word.dropFirst().allSatisfy(\.isLowercase) else { return words }
        return first.lowercased() + words.dropFirst()
    }

    /// Marks that may follow the end of a sentence.
    private static let closingMarks: Set<Character> = [")", "]", "”", "’", "»", "\"", "'"]
}
