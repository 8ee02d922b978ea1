#if PocketSphinx
import DictationCore

/// The checked options of a session, translated into PocketSphinx's settings.
struct SphinxPlan: Sendable {
    var options: RecognitionOptions
    var configuration: SphinxConfiguration
    /// Whether decoding happens during an utterance, and not only at its end.
    var isLive: Bool
    var limits: SphinxSegmenter.Limits

    /// Whether the session spots keyphrases.
    var isSpotting: Bool {
        if case .keyphrases = configuration.search { true } else { false }
    }

    /// Checks the model and all options before PocketSphinx gets any of them.
    init(_ options: RecognitionOptions, model: PocketSphinxModel) throws(DictationError) {
        try model.validate()
        self.options = options
        limits = .dictation
        var isLive = options.volatileResults
        let search: SphinxConfiguration.SphinxSearch
        var words: [PocketSphinxModel.Pronunciation] = []
        if options.task == .dictation, options.contextualStrings.isEmpty {
            search = .languageModel(extra: nil, weight: 0)
        } else {
            var vocabulary = try SphinxVocabulary(model)
            var phrases: [(words: [String], weight: Double)] = []
            for string in options.contextualStrings {
                phrases.append((try vocabulary.add(string), string.weight))
            }
            words = vocabulary.added
            switch options.task {
            case .dictation:
                search = .languageModel(
                    extra: ContextualModel.text(phrases), weight: SphinxTuning.contextualWeight)
            case .grammar(let grammar):
                search = .grammar(try Self.grammar(grammar, vocabulary))
                isLive = true
            case .keyphrases(let phrases):
                search = .keyphrases(try Self.keyphrases(phrases, vocabulary))
                isLive = true
            case .alignment(let text):
                search = .grammar(try Self.alignment(text, vocabulary))
                limits = .whole
                isLive = false
            }
        }
        self.isLive = isLive
        let isDictation = options.task == .dictation
        configuration = SphinxConfiguration(
            model: model,
            settings: isDictation
                ? SphinxTuning.settings(
                    options.priority, isLive: isLive,
                    needsLattice: options.wordConfidence || options.maximumAlternatives > 0)
                : SphinxTuning.closedSettings(needsLattice: options.maximumAlternatives > 0),
            search: search, words: words)
    }

    private static func grammar(
        _ grammar: RecognitionTask.Grammar, _ vocabulary: SphinxVocabulary
    ) throws(DictationError) -> String {
        let checked = try JSGFGrammar(grammar)
        for (word, line) in checked.words where vocabulary.spelling(of: word) == nil {
            throw SphinxVocabulary.unknown(word, "the grammar, line \(line)")
        }
        return checked.text { vocabulary.spelling(of: $0) ?? $0 }
    }

    private static func keyphrases(
        _ phrases: [RecognitionTask.Keyphrase], _ vocabulary: SphinxVocabulary
    ) throws(DictationError) -> [SphinxKeyphrase] {
        guard !phrases.isEmpty else {
            throw DictationError(.invalidInput, "There are no keyphrases.", recovery: "Give at least one keyphrase.")
        }
        var checked: [SphinxKeyphrase] = []
        for (index, phrase) in phrases.enumerated() {
            let words = try vocabulary.words(of: phrase.text, in: "the keyphrase “\(phrase.text)”")
            guard !words.isEmpty else {
                throw DictationError(
                    .invalidInput, "Keyphrase \(index + 1) has no words.", recovery: "Leave empty phrases out.")
            }
            let sensitivity = phrase.sensitivity ?? 0.5
            guard (0...1).contains(sensitivity) else {
                throw DictationError(
                    .invalidInput, "The keyphrase “\(phrase.text)” has a sensitivity of \(sensitivity).",
                    recovery: "Give one from 0 to 1.")
            }
            // A longer phrase has a smaller likelihood ratio, so it needs a lower threshold.
            let phones = words.reduce(0) { $0 + vocabulary.phoneCount(of: $1) }
            let exponent = min(250, Int((Double(phones) * SphinxTuning.sensitivityScale * sensitivity).rounded()))
            let text = words.joined(separator: " ")
            guard !checked.contains(where: { $0.text == text }) else {
                throw DictationError(
                    .invalidInput, "The keyphrase “\(phrase.text)” appears twice.", recovery: "Give it once.")
            }
            checked.append(SphinxKeyphrase(text: text, threshold: "1e-\(exponent)"))
        }
        return checked
    }

    private static func alignment(
        _ text: String, _ vocabulary: SphinxVocabulary
    ) throws(DictationError) -> String {
        let words = try vocabulary.words(of: text, in: "the text to align")
        guard !words.isEmpty else {
            throw DictationError(
                .invalidInput, "The text to align has no words.", recovery: "Give the text that is said.")
        }
        return "#JSGF V1.0;\ngrammar dictation;\npublic <r0> = \(words.joined(separator: " "));\n"
    }

    /// Returns the result for the hypothesis of an utterance.
    func result(
        _ hypothesis: SphinxHypothesis, in utterance: SphinxUtterance, endsInSpeech: Bool
    ) -> SpeechResult {
        var result = result(hypothesis.words, in: utterance)
        result.endsInSpeech = endsInSpeech
        result.alternatives = hypothesis.alternatives.map { SpeechResult.Alternative($0) }
        return result
    }

    /// Returns the result for some words of an utterance.
    func result(_ words: [SphinxWord], in utterance: SphinxUtterance) -> SpeechResult {
        var timed: [SpeechResult.Word] = []
        if options.wordTimes || options.wordConfidence {
            for word in words {
                let range = options.wordTimes ? utterance.range(of: word.frames) : nil
                timed.append(SpeechResult.Word(word.text, range: range, confidence: word.confidence))
            }
        }
        return SpeechResult(
            range: utterance.range, text: words.map(\.text).joined(separator: " "), words: timed)
    }
}
#endif
