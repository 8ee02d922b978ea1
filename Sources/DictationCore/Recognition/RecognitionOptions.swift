/// What an engine is asked to do. It does all of it or throws `unsupportedOption`; it ignores nothing.
public struct RecognitionOptions: Sendable, Hashable, Codable {
    /// The language spoken.
    public var locale: SpeechLocale
    /// What is listened for.
    public var task: RecognitionTask
    /// Whether speed or accuracy matters more.
    public var priority: Priority
    /// Whether text is shown before it is final.
    public var volatileResults: Bool
    /// Whether each word has its time.
    public var wordTimes: Bool
    /// Whether words have a confidence.
    public var wordConfidence: Bool
    /// How many other readings of a final result are wanted at most.
    public var maximumAlternatives: Int
    /// Words and phrases that are likely to be said.
    public var contextualStrings: [ContextualString]
    /// How long `finalize(through:)` and `finish()` may take.
    public var finalizationTimeout: Duration

    /// Makes options; the defaults are what every engine can do.
    public init(
        locale: SpeechLocale = "en-US", task: RecognitionTask = .dictation, priority: Priority = .balanced,
        volatileResults: Bool = false, wordTimes: Bool = false, wordConfidence: Bool = false,
        maximumAlternatives: Int = 0, contextualStrings: [ContextualString] = [],
        finalizationTimeout: Duration = .seconds(10)
    ) {
        self.locale = locale
        self.task = task
        self.priority = priority
        self.volatileResults = volatileResults
        self.wordTimes = wordTimes
        self.wordConfidence = wordConfidence
        self.maximumAlternatives = maximumAlternatives
        self.contextualStrings = contextualStrings
        self.finalizationTimeout = finalizationTimeout
    }

    /// What matters more where an engine has to choose.
    public enum Priority: String, Sendable, Hashable, Codable, CaseIterable {
        /// The least work.
        case speed
        /// The engine's default.
        case balanced
        /// The fewest errors.
        case accuracy
    }
}

extension RecognitionOptions {
    /// Live dictation: text as it is spoken.
    public static func liveDictation(_ locale: SpeechLocale = "en-US") -> RecognitionOptions {
        RecognitionOptions(locale: locale, volatileResults: true)
    }

    /// A recording's text: final results alone, as accurate as can be. A slow engine is given time.
    public static func fileTranscription(_ locale: SpeechLocale = "en-US") -> RecognitionOptions {
        RecognitionOptions(locale: locale, priority: .accuracy, finalizationTimeout: .seconds(120))
    }

    /// A recording's text with the time of each word, for captions and highlighting.
    public static func timedTranscription(_ locale: SpeechLocale = "en-US") -> RecognitionOptions {
        var options = fileTranscription(locale)
        options.wordTimes = true
        return options
    }

    /// One of the sentences that a grammar allows.
    public static func commands(_ grammar: SpeechGrammar, locale: SpeechLocale = "en-US") -> RecognitionOptions {
        RecognitionOptions(locale: locale, task: .grammar(grammar))
    }

    /// Phrases spotted in a stream of anything.
    public static func wakeWords(_ phrases: [Keyphrase], locale: SpeechLocale = "en-US") -> RecognitionOptions {
        RecognitionOptions(locale: locale, task: .keyphrases(phrases))
    }
}
