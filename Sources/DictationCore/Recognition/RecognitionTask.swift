/// What is listened for.
public enum RecognitionTask: Sendable, Hashable, Codable {
    /// Anything that is said.
    case dictation
    /// One of the sentences that a grammar allows.
    case grammar(SpeechGrammar)
    /// These phrases, in a stream of anything.
    case keyphrases([Keyphrase])
    /// The times of words that are known already.
    case alignment(String)
}

/// A grammar in JSpeech Grammar Format, the text of a `.jsgf` file.
public struct SpeechGrammar: Sendable, Hashable, Codable {
    /// The grammar's text.
    public var jsgf: String
    /// The rule to begin with; `nil` is the first public one.
    public var rule: String?

    /// Makes a grammar.
    public init(jsgf: String, rule: String? = nil) {
        self.jsgf = jsgf
        self.rule = rule
    }
}

/// A phrase to be spotted, such as a wake word.
public struct Keyphrase: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
    /// The phrase.
    public var text: String
    /// How readily it is taken as said: 0 hardly ever, 1 at the least likeness; `nil` is the engine's default.
    public var sensitivity: Double?

    /// Makes a keyphrase.
    public init(_ text: String, sensitivity: Double? = nil) {
        self.text = text
        self.sensitivity = sensitivity
    }

    /// Makes it from a string written in the source.
    public init(stringLiteral value: String) { self.init(value) }
}

/// A word or phrase that is likely to be said, such as a name.
public struct ContextualString: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
    /// The word or phrase.
    public var text: String
    /// How it is pronounced, in the engine's phones; `nil` lets the engine look it up or guess.
    public var pronunciation: String?
    /// How much likelier than otherwise: 1 is the engine's default, 0 none.
    public var weight: Double

    /// Makes a contextual string.
    public init(_ text: String, pronunciation: String? = nil, weight: Double = 1) {
        self.text = text
        self.pronunciation = pronunciation
        self.weight = weight
    }

    /// Makes it from a string written in the source.
    public init(stringLiteral value: String) { self.init(value) }
}
