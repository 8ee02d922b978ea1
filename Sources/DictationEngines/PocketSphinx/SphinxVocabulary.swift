import DictationCore

/// The words that a session needs, checked against the dictionary; those that it lacks are added.
struct SphinxVocabulary: Sendable {
    private let dictionary: SphinxDictionary
    private let phones: Set<String>
    private let locale: SpeechLocale
    /// The words that the dictionary lacks, with their phones.
    private(set) var added: [PocketSphinxPronunciation] = []

    init(_ model: PocketSphinxModel) throws(DictationError) {
        dictionary = try SphinxDictionary(model.dictionary)
        phones = try SphinxDefinition(file: model.acousticModel + "/mdef").phones
        locale = model.locale
    }

    /// How the decoder knows a word, or `nil` when it does not.
    func spelling(of word: String) -> String? {
        added.first { $0.word == word }?.word ?? dictionary.spelling(of: word)
    }

    /// How many phones a word that is known has.
    func phoneCount(of word: String) -> Int {
        let phones = added.first { $0.word == word }?.phones ?? dictionary.phones(of: word)
        return phones?.split(separator: " ").count ?? 1
    }

    /// The words of a phrase as the decoder knows them.
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
            .invalidInput, "The word '\(word)' (\(place)) is not in the model's dictionary.",
            recovery: "Give it to the options as a contextual string with its pronunciation, or use another word.")
    }

    private static func withoutPunctuation(_ word: Substring) -> String {
        let isPart: (Character) -> Bool = { $0.isLetter || $0.isNumber }
        guard let first = word.firstIndex(where: isPart), let last = word.lastIndex(where: isPart) else { return "" }
        return String(word[first...last])
    }

    // MARK: Contextual strings

    /// Adds what the dictionary lacks of a contextual string, and gives the string's words.
    mutating func add(_ string: ContextualString) throws(DictationError) -> [String] {
        let words = string.text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard string.weight.isFinite, string.weight >= 0 else {
            throw DictationError(
                .invalidInput, "The contextual string '\(string.text)' has the weight \(string.weight).",
                recovery: "Give a weight of zero or more.")
        }
        if let given = string.pronunciation {
            guard words.count == 1, let word = words.first else {
                throw DictationError(
                    .invalidInput, "The contextual string '\(string.text)' has one pronunciation for several words.",
                    recovery: "Give each new word as a contextual string of its own.")
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
                    .invalidInput, "The dictionary lacks '\(word)', and how it is pronounced can't be guessed.",
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
                .invalidInput, "'\(word)' can't be a word of the dictionary.", recovery: "Leave its marks out.")
        }
        guard !sounds.isEmpty, sounds.count <= 100 else {
            throw DictationError(
                .invalidInput, "The pronunciation of '\(word)' has \(sounds.count) phones.",
                recovery: "Give between 1 and 100, with blanks between them.")
        }
        for sound in sounds where !phones.contains(sound) {
            throw DictationError(
                .invalidInput, "The pronunciation of '\(word)' has '\(sound)', which is not a phone of the model.",
                recovery: "Use these: \(phones.sorted().joined(separator: " ")).")
        }
        let spoken = sounds.joined(separator: " ")
        if let known = dictionary.phones(of: word) {
            guard known != spoken else { return }
            throw DictationError(
                .invalidInput, "The dictionary has '\(word)' already, pronounced '\(known)'.",
                recovery: "Leave the pronunciation out, or spell the word differently.")
        }
        if let other = added.first(where: { $0.word == word }) {
            guard other.phones != spoken else { return }
            throw DictationError(
                .invalidInput, "The word '\(word)' is given two pronunciations.", recovery: "Give one.")
        }
        added.append(PocketSphinxPronunciation(word: word, phones: spoken, isGuess: isGuess))
    }
}

/// How a word that the dictionary lacks is taken to be pronounced.
public struct PocketSphinxPronunciation: Sendable, Hashable {
    /// The word.
    public let word: String
    /// Its phones, with blanks between them.
    public let phones: String
    /// Whether it was guessed from the spelling.
    public let isGuess: Bool
}
