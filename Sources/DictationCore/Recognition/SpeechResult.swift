/// What an engine understood of a stretch of audio.
///
/// A ``SpeechUpdate`` says whether it may still change.
public struct SpeechResult: Sendable, Hashable {
    /// The audio that the text was said in.
    public var range: Range<Duration>
    /// The text.
    public var text: String
    /// The words of the text, if the options asked for their times or confidence.
    public var words: [Word]
    /// Other readings, the likeliest first.
    public var alternatives: [Alternative]
    /// Whether the engine was done with this audio. `false` for the best text there was when a deadline passed.
    public var isComplete: Bool

    /// Makes a result.
    public init(
        range: Range<Duration>, text: String, words: [Word] = [], alternatives: [Alternative] = [],
        isComplete: Bool = true
    ) {
        self.range = range
        self.text = text
        self.words = words
        self.alternatives = alternatives
        self.isComplete = isComplete
    }

    /// Whether there is anything to read. Engines say nothing, or white space, for silence.
    package var hasText: Bool { text.contains { !$0.isWhitespace } }

    /// A word and when it was said.
    public struct Word: Sendable, Hashable {
        /// The word.
        public var text: String
        /// When it was said; `nil` if the engine can't tell or was not asked.
        public var range: Range<Duration>?
        /// How sure the engine is, from 0 to 1; `nil` if it can't tell.
        public var confidence: Double?

        /// Makes a word.
        public init(_ text: String, range: Range<Duration>? = nil, confidence: Double? = nil) {
            self.text = text
            self.range = range
            self.confidence = confidence
        }
    }

    /// Another reading of the same audio.
    public struct Alternative: Sendable, Hashable, Codable {
        /// The text.
        public var text: String
        /// How likely it is, from 0 to 1; `nil` if the engine can't tell.
        public var confidence: Double?

        /// Makes an alternative.
        public init(_ text: String, confidence: Double? = nil) {
            self.text = text
            self.confidence = confidence
        }
    }
}
