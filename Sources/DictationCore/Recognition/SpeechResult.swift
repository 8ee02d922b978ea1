/// What an engine understood of a stretch of audio.
public struct SpeechResult: Sendable, Hashable, Codable {
    /// What the result is.
    public var status: Status
    /// The audio that the result is about.
    public var range: Range<Duration>
    /// The text; empty for silence and for what is revoked.
    public var text: String
    /// The words of the text, where they were asked for.
    public var words: [Word]
    /// Other readings, the likeliest first.
    public var alternatives: [Alternative]
    /// The time through which results are final: nothing before it changes any more.
    public var finalizedThrough: Duration
    /// Whether a deadline ran out before the engine was done; the text is the best so far.
    public var isIncomplete: Bool

    /// Makes a result.
    public init(
        _ status: Status, range: Range<Duration>, text: String, words: [Word] = [], alternatives: [Alternative] = [],
        finalizedThrough: Duration = .zero, isIncomplete: Bool = false
    ) {
        self.status = status
        self.range = range
        self.text = text
        self.words = words
        self.alternatives = alternatives
        self.finalizedThrough = finalizedThrough
        self.isIncomplete = isIncomplete
    }

    /// Whether the result won't change any more.
    public var isFinal: Bool { status == .final }

    /// What a result is.
    public enum Status: String, Sendable, Hashable, Codable {
        /// It may change: it takes the place of every volatile result that its range overlaps.
        case volatile
        /// It won't change, and takes the place of every volatile result that its range overlaps.
        case final
        /// The volatile results that its range overlaps are taken back.
        case revoked
    }

    /// A word and where it was said.
    public struct Word: Sendable, Hashable, Codable {
        /// The word.
        public var text: String
        /// Where it was said; `nil` where the engine can't tell or was not asked.
        public var range: Range<Duration>?
        /// How sure the engine is, from 0 to 1; `nil` where it can't tell.
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
        /// How likely it is, from 0 to 1; `nil` where the engine can't tell.
        public var confidence: Double?

        /// Makes an alternative.
        public init(_ text: String, confidence: Double? = nil) {
            self.text = text
            self.confidence = confidence
        }
    }
}
