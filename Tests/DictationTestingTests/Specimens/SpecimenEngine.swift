import DictationCore
import DictationTesting

/// A sound engine, or one that breaks the promise it is told to break.
final class SpecimenEngine: SpeechEngine {
    let name = "specimen"
    let fault: EngineConformance.Clause?
    private let flaws: WordDecoder.Flaws
    private let wrapsSessions: Bool
    private let hadHole = Watched(false)

    init(
        _ fault: EngineConformance.Clause? = nil, flaws: WordDecoder.Flaws = WordDecoder.Flaws(),
        wrapsSessions: Bool = false
    ) {
        self.fault = fault
        self.flaws = flaws
        self.wrapsSessions = wrapsSessions || fault != nil
    }

    var capabilities: EngineCapabilities {
        EngineCapabilities(
            [.dictation, .volatileResults, .wordTimes, .wordConfidence, .alternatives, .contextualStrings],
            maximumSessions: fault == .sessionsAtOnce ? 1 : nil)
    }

    var supportedLocales: [SpeechLocale] { get async { fault == .localesAreTruthful ? ["de"] : ["en-US", "de"] } }

    func audioFormat(for options: RecognitionOptions) -> AudioFormat { .speech }

    func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {
        progress(0.5)
        progress(fault == .prepareProgressOnlyGrows ? 0.2 : 1)
    }

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        var options = options
        if fault == .senselessOptionThrows { options.maximumAlternatives = max(0, options.maximumAlternatives) }
        if fault != .unsupportedOptionThrows { try capabilities.validate(options, engine: name) }
        if fault != .unsupportedLocaleThrows, fault != .localesAreTruthful { try await validate(options.locale) }
        let session = try await openSession(options)
        return wrapsSessions ? SpecimenSession(session, fault: fault, options: options) : session
    }

    private func openSession(_ options: RecognitionOptions) async throws(DictationError) -> DecoderSession {
        var asked = options
        var given = options
        var flaws = flaws
        switch fault {
        case .askedForIsGiven: asked.wordTimes = false
        case .notAskedForIsNotGiven: asked.maximumAlternatives = 1
        case .streamingEqualsBatch: flaws.breaksWordsAtBuffers = true
        case .sessionsAreIndependent where hadHole.value: flaws.prefix = "again-"
        case .finishIsBounded, .stalledEngineIsLeft: given.finalizationTimeout = .seconds(100_000)
        default: break
        }
        let decoder = HoleNoting(decoder: WordDecoder(asked, flaws), hadHole: hadHole)
        return try await DecoderSession.open("specimen", audioFormat: .speech, options: given) { decoder }
    }
}

/// Notes for later sessions that one of them was given audio after a hole.
private struct HoleNoting: SpeechDecoder {
    var decoder: WordDecoder
    let hadHole: Watched<Bool>
    var end: Duration = .zero

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        if buffer.start > end + .seconds(1) { hadHole.change { $0 = true } }
        end = buffer.end
        try await decoder.decode(buffer, into: results)
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        try await decoder.finalize(into: results)
    }
}
