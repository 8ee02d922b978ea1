import DictationCore

/// Finds the times of known words in a stretch of audio, with an engine that has the feature `alignment`.
struct StretchAlignment: Sendable {
    private let engine: any SpeechEngine
    private let options: RecognitionOptions
    private let converters: any FormatConverterProvider
    private let takesNewWords: Bool

    /// Creates an aligner; `nil` if the engine can't align.
    init?(
        _ engine: any SpeechEngine, _ options: RecognitionOptions, _ converters: any FormatConverterProvider
    ) {
        let features = engine.capabilities.features
        guard features.isSuperset(of: [.alignment, .wordTimes]) else { return nil }
        self.engine = engine
        self.converters = converters
        takesNewWords = features.contains(.contextualStrings)
        var options = options
        options.wordTimes = true
        options.wordConfidence = false
        options.contextualStrings = []
        self.options = options
    }

    /// Returns the words with their times; `nil` if the engine can't find all of them.
    func words(
        of words: [String], in stretch: AudioStretch
    ) async throws(DictationError) -> [SpeechResult.Word]? {
        guard !words.isEmpty else { return nil }
        var options = options
        options.task = .alignment(words.joined(separator: " "))
        // The engine guesses how to pronounce a word that it does not know.
        if takesNewWords {
            options.contextualStrings = Set(words).sorted().map { RecognitionOptions.ContextualString($0) }
        }
        let decoding = StretchDecoding(engine: engine, options: options, converters: converters)
        do throws(DictationError) {
            guard let found = try await decoding.text(of: stretch)?.words, found.count == words.count else {
                return nil
            }
            return found
        } catch {
            // The engine can't pronounce a word.
            guard error.code == .invalidInput else { throw error }
            return nil
        }
    }
}
