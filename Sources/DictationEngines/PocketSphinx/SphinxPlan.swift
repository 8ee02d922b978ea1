#if PocketSphinx
    import DictationCore

    /// What a session does: its options, checked and turned into PocketSphinx's terms.
    struct SphinxPlan: Sendable {
        var options: RecognitionOptions
        var configuration: SphinxConfiguration
        /// Whether text is made while an utterance is being said.
        var isLive: Bool
        var limits: SphinxSegmenter.Limits

        /// Whether phrases are listened for.
        var isSpotting: Bool {
            if case .keyphrases = configuration.search { true } else { false }
        }

        init(_ options: RecognitionOptions, model: PocketSphinxModel) throws(DictationError) {
            self.options = options
            limits = .dictation
            isLive = options.volatileResults
            let search = SphinxConfiguration.SphinxSearch.languageModel(extra: nil, weight: 0)
            configuration = SphinxConfiguration(
                model: model,
                settings: SphinxTuning.settings(
                    options.priority, isLive: isLive,
                    needsLattice: options.wordConfidence || options.maximumAlternatives > 0),
                search: search)
        }

        /// The result for what was understood of an utterance.
        func result(
            _ status: SpeechResult.Status, _ hypothesis: SphinxHypothesis, in utterance: SphinxUtterance
        ) -> SpeechResult {
            var result = result(status, hypothesis.words, in: utterance)
            result.alternatives = hypothesis.alternatives.map { SpeechResult.Alternative($0) }
            return result
        }

        /// The result for some words of an utterance.
        func result(
            _ status: SpeechResult.Status, _ words: [SphinxWord], in utterance: SphinxUtterance
        ) -> SpeechResult {
            var timed: [SpeechResult.Word] = []
            if options.wordTimes || options.wordConfidence {
                for word in words {
                    let range = options.wordTimes ? utterance.range(of: word.frames) : nil
                    timed.append(SpeechResult.Word(word.text, range: range, confidence: word.confidence))
                }
            }
            return SpeechResult(
                status, range: utterance.range,
                text: words.map(\.text).joined(separator: " "), words: timed)
        }
    }
#endif
