/// What is known about a stretch of speech, to judge whether a recognized text can be what was said in it.
///
/// Models that write text token by token sometimes repeat a phrase until they run out of tokens, or write nothing. The
/// limits are those of the fastest speakers, so that text which was really said passes. A phrase that comes very often
/// passes only if another engine recognized as many words.
struct Plausibility: Sendable, Hashable {
    /// The time from the first to the last sound of the speech.
    var speech: Duration
    /// The number of words that another engine recognized in the same speech; `nil` if no other engine listened.
    var heardWords: Int?

    /// A reason why a text can't be what was said.
    enum Doubt: Sendable, Hashable {
        /// A phrase comes again and again.
        case repetition(of: String, count: Int)
        /// Nobody speaks so fast.
        case tooFast
        /// The text has no word where another engine recognized one, or hardly a word where someone spoke a sentence.
        case missing
    }

    /// Returns the reason why nobody can have said a text in this stretch; `nil` for a text that can be true.
    func doubt(about text: String) -> Doubt? {
        let words = SpokenWord.words(of: text)
        if isMissing(words.count) { return .missing }
        let fastest = Self.fastestTime(of: words)
        if let repetition = Repetition(in: words), isDoubtful(repetition, of: words) {
            return .repetition(of: repetition.phrase.map(\.text).joined(separator: " "), count: repetition.count)
        }
        return fastest > limit ? .tooFast : nil
    }

    // MARK: Limits

    /// Sound detectors find the beginning and the end of speech only roughly.
    private static let slack = 0.5
    /// The speed of the fastest speakers, in words and letters each second.
    private static let fastestWords = 6.0
    private static let fastestLetters = 28.0
    /// The speed of someone who says the same again and again, and of the words around it, in letters each second.
    private static let repeatingLetters = 14.0
    private static let letters = 22.0
    /// The greatest number of times that people usually say the same word or the same phrase in one breath.
    private static let mostRepeatedWord = 12
    private static let mostRepeatedPhrase = 7

    private var limit: Double { max(0, speech / .seconds(1)) + Self.slack }

    private func isMissing(_ count: Int) -> Bool {
        guard let heardWords else { return count == 0 && speech >= .milliseconds(1_500) }
        return count == 0 ? heardWords > 0 : heardWords >= 8 * count && heardWords >= 12
    }

    private func isDoubtful(_ repetition: Repetition, of words: [SpokenWord]) -> Bool {
        let most = repetition.phrase.count == 1 ? Self.mostRepeatedWord : Self.mostRepeatedPhrase
        let isCommon = repetition.count <= most
        guard let heardWords else { return !isCommon || isTooFast(repetition, of: words) }
        // More repetitions than usual can be true if the other engine recognized nearly as many words.
        let mostWords = isCommon ? 2 * heardWords + 4 : heardWords + heardWords / 4 + 2
        return words.count > mostWords || isTooFast(repetition, of: words)
    }

    private func isTooFast(_ repetition: Repetition, of words: [SpokenWord]) -> Bool {
        let all = words.reduce(0) { $0 + $1.length }
        let time =
            Double(repetition.length) / Self.repeatingLetters + Double(all - repetition.length) / Self.letters
        return time > limit
    }

    private static func fastestTime(of words: [SpokenWord]) -> Double {
        let letters = Double(words.reduce(0) { $0 + $1.length })
        return max(Double(words.count { !$0.isCharacter }) / fastestWords, letters / fastestLetters)
    }
}
