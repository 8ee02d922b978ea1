/// The options of a recognition session. An engine follows every option, or throws
/// ``DictationError/Code/unsupportedOption``.
public struct RecognitionOptions: Sendable, Hashable, Codable {
    /// The language spoken.
    public var locale: SpeechLocale
    /// The kind of speech to recognize.
    public var task: RecognitionTask
    /// Whether speed or accuracy matters more.
    public var priority: Priority
    /// Whether results include text that may still change.
    public var volatileResults: Bool
    /// Whether results include the time of each word.
    public var wordTimes: Bool
    /// Whether results include the confidence of each word.
    public var wordConfidence: Bool
    /// The largest number of alternative readings for each final result.
    public var maximumAlternatives: Int
    /// Words and phrases that are likely to be said.
    public var contextualStrings: [RecognitionOptions.ContextualString]
    /// The longest time that ``RecognitionSession/finalize(through:)`` and ``RecognitionSession/finish()`` may take.
    public var finalizationTimeout: Duration

    /// Creates options. Every engine for dictation supports the defaults if it has a model for the locale.
    public init(
        locale: SpeechLocale = "en-US", task: RecognitionTask = .dictation, priority: Priority = .balanced,
        volatileResults: Bool = false, wordTimes: Bool = false, wordConfidence: Bool = false,
        maximumAlternatives: Int = 0, contextualStrings: [RecognitionOptions.ContextualString] = [],
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

    /// The preference where an engine can trade speed against accuracy.
    public enum Priority: String, Sendable, Hashable, Codable, CaseIterable {
        /// The least work.
        case speed
        /// The engine's best trade between speed and accuracy, by measurement.
        case balanced
        /// More work, which avoids errors in some recordings and not in others. An engine's documentation says when.
        case accuracy
    }
}

extension RecognitionOptions {
    /// Returns options for live dictation, with text that may still change.
    public static func liveDictation(_ locale: SpeechLocale = "en-US") -> RecognitionOptions {
        RecognitionOptions(locale: locale, volatileResults: true)
    }

    /// Returns options for a recording: final results only, and two minutes to finish.
    public static func fileTranscription(_ locale: SpeechLocale = "en-US") -> RecognitionOptions {
        RecognitionOptions(locale: locale, finalizationTimeout: .seconds(120))
    }

    /// Returns options for a recording with the time of each word, for captions and highlighting.
    ///
    /// Words have no confidence; set ``wordConfidence`` to get it too.
    public static func timedTranscription(_ locale: SpeechLocale = "en-US") -> RecognitionOptions {
        var options = fileTranscription(locale)
        options.wordTimes = true
        return options
    }

    /// Returns options for spoken commands: the sentences that a grammar allows.
    public static func commands(_ grammar: RecognitionTask.Grammar, locale: SpeechLocale = "en-US")
        -> RecognitionOptions
    {
        RecognitionOptions(locale: locale, task: .grammar(grammar))
    }

    /// Returns options for wake words: phrases that the engine finds within any other speech.
    public static func wakeWords(_ phrases: [RecognitionTask.Keyphrase], locale: SpeechLocale = "en-US")
        -> RecognitionOptions
    {
        RecognitionOptions(locale: locale, task: .keyphrases(phrases))
    }
}
