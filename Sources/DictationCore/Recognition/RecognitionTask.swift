/// The kind of speech to recognize.
@nonexhaustive public enum RecognitionTask: Sendable, Hashable, Codable {
    /// Free speech.
    case dictation
    /// One of the sentences that a grammar allows.
    case grammar(RecognitionTask.Grammar)
    /// Given phrases within any other speech.
    case keyphrases([RecognitionTask.Keyphrase])
    /// A known text. The engine finds the time of each of its words.
    case alignment(String)
}

extension RecognitionTask {
    /// A grammar in JSpeech Grammar Format, the text of a `.jsgf` file.
    public struct Grammar: Sendable, Hashable, Codable {
        /// The grammar's text.
        public var jsgf: String
        /// The rule to begin with; `nil` for the first public rule.
        public var rule: String?

        /// Creates a grammar.
        public init(jsgf: String, rule: String? = nil) {
            self.jsgf = jsgf
            self.rule = rule
        }
    }
}

extension RecognitionTask {
    /// A phrase to find in speech, such as a wake word.
    public struct Keyphrase: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
        /// The phrase.
        public var text: String
        /// The sensitivity, from 0 (fewest false alarms) to 1 (fewest misses); `nil` for the engine's default.
        public var sensitivity: Double?

        /// Creates a keyphrase.
        public init(_ text: String, sensitivity: Double? = nil) {
            self.text = text
            self.sensitivity = sensitivity
        }

        /// Creates it from a string literal.
        public init(stringLiteral value: String) { self.init(value) }
    }
}

extension RecognitionOptions {
    /// A word or phrase that the user is likely to say, such as a name.
    public struct ContextualString: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
        /// The word or phrase.
        public var text: String
        /// The pronunciation in the engine's phones; `nil` lets the engine look it up or guess.
        public var pronunciation: String?
        /// How strongly the engine prefers the phrase: 1 is the engine's default, 0 is no preference.
        public var weight: Double

        /// Creates a contextual string.
        public init(_ text: String, pronunciation: String? = nil, weight: Double = 1) {
            self.text = text
            self.pronunciation = pronunciation
            self.weight = weight
        }

        /// Creates it from a string literal.
        public init(stringLiteral value: String) { self.init(value) }
    }
}
