import DictationCore

extension EngineCheck {
    /// Checks the options that the engine must refuse, and the options whose effect shows in the results.
    func tryOptions() async {
        await tryLocales()
        await tryFormat()
        await tryPreparing()
        await tryUnsupportedOptions()
        await trySenselessOptions()
        await tryWhatIsAskedFor()
    }

    private func tryLocales() async {
        let engine = suite.engine
        guard
            let supported = await findings.bounded(
                .localesAreTruthful, "supportedLocales", { await engine.supportedLocales })
        else { return }
        findings.expect(
            .localesAreTruthful, supported.contains(suite.options.locale),
            "supportedLocales to contain \(suite.options.locale), which a session was made for",
            saw: supported.map(\.identifier).joined(separator: ", "))
        for locale in supported.prefix(3) where locale != suite.options.locale {
            var options = suite.options
            options.locale = locale
            let answer = await make(options)
            findings.expect(
                .localesAreTruthful, answer?.error?.code != .unsupportedLocale,
                "a session for \(locale), which is in supportedLocales", saw: answer?.summary ?? "no answer")
            await dispose(answer)
        }
        let others: [SpeechLocale] = ["qaa", SpeechLocale("\(suite.options.locale.language)-AQ")]
        for locale in others where !supported.contains(locale) {
            var options = suite.options
            options.locale = locale
            await expectRefusal(options, .unsupportedLocaleThrows, .unsupportedLocale, "for the locale \(locale)")
        }
    }

    private func tryFormat() async {
        let isValid = await Outcome.of { () throws(DictationError) in try format.validated() }
        findings.expect(.formatIsTruthful, isValid.error == nil, "a valid format", saw: "\(format)")
        guard let probe = await open(suite.options) else { return }
        findings.expect(
            .formatIsTruthful, probe.session.audioFormat == format, "a session that takes \(format)",
            saw: "one that takes \(probe.session.audioFormat)")
        probe.reader.begin()
        await probe.close(audioEnd: .zero)
    }

    private func tryPreparing() async {
        let parts = Watched<[Double]>([])
        let answer = await findings.bounded(.prepareProgressOnlyGrows, "prepare(_:progress:)", within: workLimit) {
            [suite] in
            await Outcome.of { () throws(DictationError) in
                try await suite.engine.prepare(suite.options) { part in parts.change { $0.append(part) } }
            }
        }
        guard let answer else { return }
        findings.expect(
            .prepareProgressOnlyGrows, answer.error == nil, "prepare(_:progress:) to succeed", saw: answer.summary)
        let seen = parts.value
        findings.expect(
            .prepareProgressOnlyGrows,
            seen.allSatisfy { (0...1).contains($0) } && zip(seen, seen.dropFirst()).allSatisfy { $0 <= $1 },
            "fractions from 0 to 1 that never decrease", saw: "\(seen)")
    }

    private func tryUnsupportedOptions() async {
        var areAllSupported = true
        for feature in EngineCapabilities.Feature.allCases where !suite.engine.capabilities.features.contains(feature) {
            areAllSupported = false
            await expectRefusal(
                Self.options(needing: feature, from: suite.options), .unsupportedOptionThrows, .unsupportedOption,
                "for an option that needs \(feature.rawValue)")
        }
        if areAllSupported { findings.leave(.unsupportedOptionThrows, because: "the engine lacks no feature") }
    }

    private func trySenselessOptions() async {
        var options = suite.options
        options.maximumAlternatives = -1
        await expectRefusal(options, .senselessOptionThrows, .invalidInput, "for -1 alternatives")
        guard suite.engine.capabilities.features.contains(.contextualStrings) else { return }
        options = suite.options
        options.contextualStrings = [" "]
        await expectRefusal(options, .senselessOptionThrows, .invalidInput, "for an empty contextual string")
    }

    private func tryWhatIsAskedFor() async {
        let features = suite.engine.capabilities.features
        var options = suite.options
        options.volatileResults = features.contains(.volatileResults)
        options.wordTimes = features.contains(.wordTimes)
        options.wordConfidence = features.contains(.wordConfidence)
        options.maximumAlternatives = features.contains(.alternatives) ? 2 : 0
        if let log = await recognize(suite.audio, .askedForIsGiven, options: options), !log.text.isEmpty {
            findings.expect(
                .askedForIsGiven,
                !options.volatileResults || log.elements.contains { $0.result != nil && $0.finalResult == nil },
                "a volatile result", saw: "only final results")
            for result in log.finals { judge(result, against: options) }
        }
        options.volatileResults = false
        options.maximumAlternatives = 0
        if let log = await recognize(suite.audio, .notAskedForIsNotGiven, options: options) {
            let others = log.elements.filter {
                $0.finalizedThrough == nil || $0.finalResult?.alternatives.isEmpty == false
            }
            findings.expect(
                .notAskedForIsNotGiven, others.isEmpty, "final results without alternatives",
                saw: others.prefix(3).map(ResultRules.describe).joined(separator: ", "))
        }
    }

    private func judge(_ result: SpeechResult, against options: RecognitionOptions) {
        let words = result.words
        if options.wordTimes {
            let ranges = words.compactMap(\.range)
            findings.expect(
                .askedForIsGiven, !words.isEmpty && ranges.count == words.count, "a time for each word",
                saw: "\(ranges.count) times for the \(words.count) words of “\(result.text)”")
            findings.expect(
                .askedForIsGiven, zip(ranges, ranges.dropFirst()).allSatisfy { $0.lowerBound <= $1.lowerBound },
                "word times in order", saw: "\(ranges)")
        }
        if options.wordConfidence {
            findings.expect(
                .askedForIsGiven, !words.isEmpty && words.allSatisfy { $0.confidence.map((0...1).contains) ?? true },
                "no word with a confidence outside 0 to 1",
                saw: "\(words.map { "\($0.text) \($0.confidence.map(String.init(describing:)) ?? "none")" })")
        }
        findings.expect(
            .askedForIsGiven, result.alternatives.count <= options.maximumAlternatives,
            "at most \(options.maximumAlternatives) alternatives", saw: "\(result.alternatives.count)")
    }

    /// Expects that making a session throws an error.
    private func expectRefusal(
        _ options: RecognitionOptions, _ clause: EngineConformance.Clause, _ code: DictationError.Code, _ why: String
    ) async {
        let answer = await make(options)
        findings.expect(
            clause, answer?.error?.code == code, "makeSession(_:) to throw \(code.rawValue) \(why)",
            saw: answer?.error.map { "\($0.code.rawValue)" } ?? (answer == nil ? "no answer" : "a session"))
        await dispose(answer)
    }

    private func dispose(_ answer: Outcome<any RecognitionSession>?) async {
        guard case .success(let session)? = answer else { return }
        _ = await runtime.within(suite.responseTimeout) { await session.cancel() }
    }

    private static func options(
        needing feature: EngineCapabilities.Feature, from options: RecognitionOptions
    ) -> RecognitionOptions {
        var options = options
        switch feature {
        case .dictation: options.task = .dictation
        case .volatileResults: options.volatileResults = true
        case .wordTimes: options.wordTimes = true
        case .wordConfidence: options.wordConfidence = true
        case .alternatives: options.maximumAlternatives = 1
        case .contextualStrings: options.contextualStrings = ["yes"]
        case .grammars:
            options.task = .grammar(RecognitionTask.Grammar(jsgf: "#JSGF V1.0; grammar g; public <g> = yes;"))
        case .keyphrases: options.task = .keyphrases(["yes"])
        case .alignment: options.task = .alignment("yes")
        }
        return options
    }
}
