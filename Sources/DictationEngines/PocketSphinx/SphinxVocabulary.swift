import DictationCore

/// The words that a session needs. It checks them against the dictionary and adds those that the dictionary lacks.
struct SphinxVocabulary: Sendable {
    private let dictionary: SphinxDictionary
    private let phones: Set<String>
    private let locale: SpeechLocale
    /// The words that the dictionary lacks, with their phones.
    private(set) var added: [PocketSphinxModel.Pronunciation] = []

    init(_ model: PocketSphinxModel) throws(DictationError) {
        dictionary = try SphinxDictionary(model.dictionary)
        phones = try SphinxDefinition(file: model.acousticModel + "/mdef").phones
        locale = model.locale
    }

    /// Returns the decoder's spelling of a word, or `nil` for an unknown word.
    func spelling(of word: String) -> String? {
        added.first { $0.word == word }?.word ?? dictionary.spelling(of: word)
    }

    /// Returns the number of phones of a known word.
    func phoneCount(of word: String) -> Int {
        let phones = added.first { $0.word == word }?.phones ?? dictionary.phones(of: word)
        return phones?.split(separator: " ").count ?? 1
    }

    /// Returns the words of a phrase in the decoder's spelling, without punctuation.
    ///
    /// - Parameters:
    ///   - phrase: The phrase.
    ///   - place: Where the phrase comes from, for error messages.
    /// - Throws: `DictationError` when the decoder does not know a word.
    func words(of phrase: String, in place: String) throws(DictationError) -> [String] {
        var words: [String] = []
        for (number, line) in phrase.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            for word in line.split(whereSeparator: \.isWhitespace) {
                let bare = Self.withoutPunctuation(word)
                guard let known = spelling(of: String(word)) ?? spelling(of: bare) else {
                    if bare.isEmpty { continue }
                    throw Self.unknown(bare, "\(place), line \(number + 1)")
                }
                words.append(known)
            }
        }
        return words
    }

    static func unknown(_ word: String, _ place: String) -> DictationError {
        DictationError(
            .invalidInput, "The word “\(word)” (\(place)) is not in the model's dictionary.",
            recovery: "Add the word and its pronunciation to the contextual strings, or use another word.")
    }

    private static func withoutPunctuation(_ word: Substring) -> String {
        let isPart: (Character) -> Bool = { $0.isLetter || $0.isNumber }
        guard let first = word.firstIndex(where: isPart), let last = word.lastIndex(where: isPart) else { return "" }
        return String(word[first...last])
    }

    // MARK: Contextual strings

    /// Adds the words of a contextual string that the dictionary lacks. Returns all words of the string.
    mutating func add(_ string: RecognitionOptions.ContextualString) throws(DictationError) -> [String] {
        let words = string.text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard string.weight.isFinite, string.weight >= 0 else {
            throw DictationError(
                .invalidInput, "The contextual string “\(string.text)” has the weight \(string.weight).",
                recovery: "Give a weight of zero or more.")
        }
        if let given = string.pronunciation {
            guard words.count == 1, let word = words.first else {
                throw DictationError(
                    .invalidInput, "The contextual string “\(string.text)” has one pronunciation for several words.",
                    recovery: "Give each new word in its own contextual string.")
            }
            try add(word, given.split(whereSeparator: \.isWhitespace).map(String.init), isGuess: false)
            return [word]
        }
        var known: [String] = []
        for word in words {
            if let spelling = spelling(of: word) {
                known.append(spelling)
                continue
            }
            let guess = locale.language == "en" ? EnglishPronunciation.phones(of: word) : []
            guard !guess.isEmpty, guess.allSatisfy(phones.contains) else {
                throw DictationError(
                    .invalidInput, "The dictionary lacks “\(word)”, and its pronunciation can't be guessed.",
                    recovery: "Give its pronunciation with the contextual string.")
            }
            try add(word, guess, isGuess: true)
            known.append(word)
        }
        return known
    }

    private mutating func add(_ word: String, _ sounds: [String], isGuess: Bool) throws(DictationError) {
        guard !word.isEmpty, word.utf8.count <= 200, !word.contains(where: { "();=|*+<>[]{}/\"#\\".contains($0) })
        else {
            throw DictationError(
                .invalidInput, "“\(word)” can't be added to the dictionary.",
                recovery: "Shorten the word and leave out punctuation.")
        }
        guard !sounds.isEmpty, sounds.count <= 100 else {
            throw DictationError(
                .invalidInput, "The pronunciation of “\(word)” has \(sounds.count) phones.",
                recovery: "Give 1 to 100 phones, with spaces between them.")
        }
        for sound in sounds where !phones.contains(sound) {
            throw DictationError(
                .invalidInput, "The pronunciation of “\(word)” has “\(sound)”, which is not a phone of the model.",
                recovery: "Use these phones: \(phones.sorted().joined(separator: " ")).")
        }
        let spoken = sounds.joined(separator: " ")
        if let known = dictionary.phones(of: word) {
            guard known != spoken else { return }
            throw DictationError(
                .invalidInput, "The dictionary already has “\(word)”, pronounced “\(known)”.",
                recovery: "Leave the pronunciation out, or spell the word differently.")
        }
        if let other = added.first(where: { $0.word == word }) {
            guard other.phones != spoken else { return }
            throw DictationError(
                .invalidInput, "The word “\(word)” has two pronunciations.", recovery: "Give only one.")
        }
        added.append(PocketSphinxModel.Pronunciation(word: word, phones: spoken, isGuess: isGuess))
    }
}

extension PocketSphinxModel {
    /// The pronunciation that PocketSphinx uses for a word that its dictionary lacks.
    public struct Pronunciation: Sendable, Hashable {
        /// The word that the dictionary lacks.
        public let word: String
        /// The word's phones, with spaces between them.
        public let phones: String
        /// Whether the pronunciation was guessed from the spelling.
        public let isGuess: Bool
    }
}
