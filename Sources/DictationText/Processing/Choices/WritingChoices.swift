public import DictationCore

/// A user's choices about writing recognized text.
///
///     var choices = WritingChoices()
///     choices.numbers = true
///     let written = transcript.processed(by: try choices.processors(for: "en-US"))
public struct WritingChoices: Sendable, Hashable {
    /// Whether spoken marks, such as “comma”, become punctuation.
    public var spokenPunctuation = false
    /// Whether “scratch that” leaves out the last phrase.
    public var undo = false
    /// Whether spoken numbers, dates and amounts become digits.
    public var numbers = false
    /// Whether sounds such as “um” are left out.
    public var removeFillers = false
    /// Whether a long pause begins a paragraph.
    public var paragraphs = false

    /// Creates choices that change nothing.
    public init() {}

    /// Whether a choice needs the time of each word.
    public var needsWordTimes: Bool { undo || paragraphs }

    /// Returns what writes the text, in order. No processor changes what the vocabulary wrote, and a spoken period ends
    /// the phrase to undo.
    ///
    /// - Throws: `unsupportedOption` for a choice that does not know the language.
    public func processors(
        for locale: SpeechLocale, vocabulary: WrittenVocabulary? = nil
    ) throws(DictationError) -> [any TextProcessor] {
        var processors: [any TextProcessor] = []
        if let vocabulary { processors.append(vocabulary) }
        if spokenPunctuation {
            guard let marks = SpokenPunctuation.Marks(locale) else {
                throw Self.unknown("Spoken punctuation", locale, SpokenPunctuation.Marks.languages)
            }
            processors.append(SpokenPunctuation(marks))
        }
        if undo { processors.append(SpokenUndo()) }
        if numbers {
            guard let words = SpokenNumbers.Words(locale) else {
                throw Self.unknown("Writing numbers", locale, SpokenNumbers.Words.languages)
            }
            processors.append(SpokenNumbers(words))
        }
        if removeFillers { processors.append(FillerRemoval()) }
        if paragraphs { processors.append(PauseParagraphs()) }
        return processors
    }

    private static func unknown(_ choice: String, _ locale: SpeechLocale, _ languages: [String]) -> DictationError {
        DictationError(
            .unsupportedOption, "\(choice) does not know the language of “\(locale)”.",
            recovery: "It knows: \(languages.joined(separator: ", ")). Leave it out for this language.")
    }
}
