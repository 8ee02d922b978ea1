/// The text that an engine recognized in a range of audio.
///
/// A ``SpeechUpdate`` says whether it may still change.
public struct SpeechResult: Sendable, Hashable {
    /// The range of the audio in which the text was said.
    public var range: Range<Duration>
    /// The text.
    public var text: String
    /// The words of the text, if the options asked for their times or confidence.
    public var words: [Word]
    /// Alternative readings, the likeliest first.
    public var alternatives: [Alternative]
    /// Whether the engine had finished this audio. `false` for text that became final early, at a deadline.
    public var isComplete: Bool
    /// Whether the engine itself doubts the text, such as text that only its second choice recognized. Nothing is
    /// missing from a doubtful text, so a transcript with one is complete.
    public var isDoubtful: Bool
    /// Whether the speaker went on without a pause, so that the engine had to end the result inside speech. Its last
    /// sentence probably goes on in the next result.
    public var endsInSpeech: Bool
    /// Who said the text, or `nil` if that is unknown. A recording with one speaker on each channel knows it.
    public var speaker: String?

    /// Creates a result.
    public init(
        range: Range<Duration>, text: String, words: [Word] = [], alternatives: [Alternative] = [],
        isComplete: Bool = true, isDoubtful: Bool = false, endsInSpeech: Bool = false,
        speaker: String? = nil
    ) {
        self.range = range
        self.text = text
        self.words = words
        self.alternatives = alternatives
        self.isComplete = isComplete
        self.isDoubtful = isDoubtful
        self.endsInSpeech = endsInSpeech
        self.speaker = speaker
    }

    /// Whether the text is more than white space. Engines report silence as empty text or white space.
    package var hasText: Bool { text.contains { !$0.isWhitespace } }

    /// A word and the time when it was said.
    public struct Word: Sendable, Hashable {
        /// The word.
        public var text: String
        /// The time when the word was said; `nil` if the engine can't tell or was not asked.
        public var range: Range<Duration>?
        /// The engine's confidence, from 0 to 1; `nil` if the engine can't tell.
        public var confidence: Double?

        /// Creates a word.
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
        /// The engine's confidence, from 0 to 1; `nil` if the engine can't tell.
        public var confidence: Double?

        /// Creates an alternative.
        public init(_ text: String, confidence: Double? = nil) {
            self.text = text
            self.confidence = confidence
        }
    }
}
