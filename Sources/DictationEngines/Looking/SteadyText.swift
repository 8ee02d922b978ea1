import DictationCore

/// The words of a text that grows, without those that the next look will probably change.
///
/// A model hears the last words while they are being said, and guesses their ends. So they are shown when two looks agree
/// on them, or after a pause.
struct SteadyText: Sendable {
    private static let guessed = 2

    /// The words of the last look.
    private var last: [SpokenWord] = []

    /// Returns the number of words to show of the newest text.
    ///
    /// - Parameter isPause: Whether the last word has ended.
    mutating func count(of words: [Substring], isPause: Bool) -> Int {
        let new = words.map { SpokenWord(written: String($0)) }
        defer { last = new }
        if isPause { return words.count }
        let agreed = zip(last, new).prefix { $0 == $1 }.count
        return max(agreed, min(words.count, max(1, words.count - Self.guessed)))
    }
}
