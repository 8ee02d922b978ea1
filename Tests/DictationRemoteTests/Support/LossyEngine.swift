import DictationCore

/// An engine that says words for the first second, if it has some, and leaves out the second one, as one does whose helper
/// fails there. The rest is silence.
struct LossyEngine: SpeechEngine {
    let name = "lossy"
    let capabilities = EngineCapabilities([.dictation, .wordTimes, .volatileResults])
    var supportedLocales: [SpeechLocale] { get async { ["en-US"] } }
    var words = "kept words"

    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }

    func prepare(
        _ options: RecognitionOptions, progress: @escaping @Sendable (Double) -> Void
    ) async throws(DictationError) {}

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        try await DecoderSession.open(name, audioFormat: .speech, options: options, runtime: .current) { [words] in
            LossyDecoder(words: words)
        }
    }
}

private struct LossyDecoder: SpeechDecoder {
    let words: String
    private var end = Duration.zero
    private var hasLost = false

    init(words: String) { self.words = words }

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        end = max(end, buffer.end)
        guard !hasLost, end >= .seconds(2) else { return }
        hasLost = true
        results.emit(.final(SpeechResult(range: .zero ..< .seconds(1), text: words)))
        let cause = DictationError(.engineFailed, "The helper died.")
        results.emit(.interrupted(SpeechUpdate.EngineInterruption(cause: cause, lost: .seconds(1) ..< .seconds(2))))
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {
        results.emit(.finalized(through: end))
    }
}
