import DictationCore

/// An engine whose text is `word 1`, `word 2`, …: one for each second of audio, volatile after half of it and final at
/// its end.
struct WordEngine: SpeechEngine {
    let name = "words"
    let capabilities = EngineCapabilities([.dictation, .volatileResults])
    let fed = Watched(Int64(0))
    var warmUp: Duration = .zero
    var failsAfter: Duration?
    var stallsAfter: Duration?
    private let runtime = DictationRuntime.current

    var supportedLocales: [SpeechLocale] { get async { ["en-US"] } }

    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        try await validate(options.locale)
        try capabilities.validate(options, engine: name)
        if warmUp > .zero { try? await runtime.sleep(warmUp) }
        return try await DecoderSession.open(name, audioFormat: .speech, options: options) { [self] in
            WordDecoder(engine: self, runtime: runtime)
        }
    }
}

private struct WordDecoder: SpeechDecoder {
    let engine: WordEngine
    let runtime: DictationRuntime
    var spoken = 0
    var end: Duration = .zero

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        if let limit = engine.stallsAfter, buffer.start >= limit { try? await runtime.sleep(.seconds(1 << 40)) }
        if let limit = engine.failsAfter, buffer.start >= limit { throw DictationError(.engineFailed, "It broke.") }
        engine.fed.change { $0 += Int64(buffer.frameCount) }
        end = buffer.end
        while end >= .seconds(spoken + 1) {
            spoken += 1
            let range = Duration.seconds(spoken - 1)..<Duration.seconds(spoken)
            results.emit(.final(SpeechResult(range: range, text: "word \(spoken)")))
        }
        let start = Duration.seconds(spoken)
        if end >= start + .milliseconds(500) {
            results.emit(.volatile(SpeechResult(range: start..<end, text: "wor \(spoken + 1)")))
        }
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        let start = Duration.seconds(spoken)
        guard end > start else { return }
        if end >= start + .milliseconds(500) {
            results.emit(.final(SpeechResult(range: start..<end, text: "part \(spoken + 1)")))
        }
    }
}
