import DictationCore

/// What two engines can do together.
struct TwoPassFeatures: Sendable {
    let quick: EngineCapabilities
    let thorough: EngineCapabilities
    let preview: TwoPassEngine.Preview

    /// The features that are the work of one engine alone.
    private static let tasks: Set<EngineCapabilities.Feature> = [.grammars, .keyphrases, .alignment]

    /// The engine whose word times and confidence are used.
    var wordSource: TwoPassDraft.Source { quick.features.contains(.wordTimes) ? .quick : .thorough }

    /// The engine that gets all audio of live dictation, and shows its text.
    var liveSource: TwoPassDraft.Source {
        preview == .thorough && thorough.features.contains(.volatileResults) ? .thorough : .quick
    }

    var capabilities: EngineCapabilities {
        let words = wordSource == .quick ? quick.features : thorough.features
        let shown = liveSource == .quick ? quick.features : thorough.features
        var features = shown.intersection([.volatileResults])
        features.formUnion(words.intersection([.wordTimes, .wordConfidence]))
        // The quick engine's would make no difference to the final text.
        features.formUnion(thorough.features.intersection([.alternatives, .contextualStrings]))
        features.formUnion(quick.features.union(thorough.features).intersection(Self.tasks))
        features.formUnion(quick.features.intersection(thorough.features).intersection([.dictation]))
        let limits = [quick, thorough].compactMap(\.maximumSessions)
        return EngineCapabilities(features, maximumSessions: limits.min())
    }
}

/// The two engines of a ``TwoPassEngine`` and what each can do.
struct TwoPassParts: Sendable {
    let quick: any SpeechEngine
    let thorough: any SpeechEngine
    let preview: TwoPassEngine.Preview

    private var quickFeatures: Set<EngineCapabilities.Feature> { quick.capabilities.features }
    private var thoroughFeatures: Set<EngineCapabilities.Feature> { thorough.capabilities.features }

    private var features: TwoPassFeatures {
        TwoPassFeatures(quick: quick.capabilities, thorough: thorough.capabilities, preview: preview)
    }

    /// The engine that gets all audio of live dictation, and shows its text.
    var liveSource: TwoPassDraft.Source { features.liveSource }

    /// The engine whose word times and confidence are used.
    var wordSource: TwoPassDraft.Source { features.wordSource }

    var capabilities: EngineCapabilities { features.capabilities }

    /// Returns the engine that does a task other than dictation; `nil` for dictation.
    func specialist(for task: RecognitionTask) -> (any SpeechEngine)? {
        let feature: EngineCapabilities.Feature
        switch task {
        case .dictation: return nil
        case .grammar: feature = .grammars
        case .keyphrases: feature = .keyphrases
        case .alignment: feature = .alignment
        }
        return quickFeatures.contains(feature) ? quick : thorough
    }

    func quickOptions(_ options: RecognitionOptions) -> RecognitionOptions {
        var own = options
        own.maximumAlternatives = 0
        // Words are matched by their times, so confidence needs them too.
        let wantsWords = wordSource == .quick && (options.wordTimes || options.wordConfidence)
        own.wordTimes = wantsWords
        own.wordConfidence = wantsWords && options.wordConfidence
        if !quickFeatures.contains(.contextualStrings) { own.contextualStrings = [] }
        return own
    }

    func thoroughOptions(_ options: RecognitionOptions) -> RecognitionOptions {
        var own = options
        own.volatileResults = false
        if wordSource == .quick {
            own.wordTimes = false
            own.wordConfidence = false
        }
        if !thoroughFeatures.contains(.contextualStrings) { own.contextualStrings = [] }
        return own
    }
}

/// How a session shares its work between the two engines.
struct TwoPassPlan: Sendable {
    let parts: TwoPassParts
    let options: RecognitionOptions
    /// The engine that gets all audio, and whose results are drafts.
    let source: TwoPassDraft.Source
    /// The engine that does the task alone, if it is not dictation.
    private let specialist: (any SpeechEngine)?

    init(_ options: RecognitionOptions, _ parts: TwoPassParts) {
        self.parts = parts
        self.options = options
        source = options.volatileResults ? parts.liveSource : .thorough
        specialist = parts.specialist(for: options.task)
    }

    var quickOptions: RecognitionOptions { parts.quickOptions(options) }
    var thoroughOptions: RecognitionOptions { parts.thoroughOptions(options) }

    var first: any SpeechEngine { specialist ?? (source == .quick ? parts.quick : parts.thorough) }
    var firstOptions: RecognitionOptions {
        guard specialist == nil else { return options }
        var own = source == .quick ? quickOptions : thoroughOptions
        own.volatileResults = options.volatileResults
        return own
    }

    /// The other engine; `nil` if one engine does the task alone.
    var second: (any SpeechEngine)? {
        specialist != nil ? nil : source == .quick ? parts.thorough : parts.quick
    }
    var secondOptions: RecognitionOptions { source == .quick ? thoroughOptions : secondPassOptions }

    /// The quick engine's options for single stretches, which need no volatile results.
    private var secondPassOptions: RecognitionOptions {
        var options = quickOptions
        options.volatileResults = false
        return options
    }

    func review(_ converters: any FormatConverterProvider) -> TwoPassReview {
        TwoPassReview(
            quick: StretchDecoding(engine: parts.quick, options: secondPassOptions, converters: converters),
            thorough: StretchDecoding(engine: parts.thorough, options: thoroughOptions, converters: converters),
            alignment: StretchAlignment(parts.quick, secondPassOptions, converters),
            options: options, wordSource: parts.wordSource)
    }
}

extension TwoPassEngine {
    var parts: TwoPassParts { TwoPassParts(quick: quick, thorough: thorough, preview: preview) }

    /// Checks the options and shares the work out.
    func plan(_ options: RecognitionOptions) async throws(DictationError) -> TwoPassPlan {
        try capabilities.validate(options, engine: name)
        let plan = TwoPassPlan(options, parts)
        if plan.second != nil { try await validate(options.locale) }
        return plan
    }
}
