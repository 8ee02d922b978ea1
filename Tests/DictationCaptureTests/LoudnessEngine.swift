import DictationCore
import Synchronization

/// An engine whose text follows from the audio: each second that is not silent is a phrase.
final class LoudnessEngine: SpeechEngine {
    let name = "loudness"
    let capabilities: EngineCapabilities
    var supportedLocales: [SpeechLocale] { ["en-US"] }
    private let sessions = Mutex(0)

    init(maximumSessions: Int? = nil) {
        capabilities = EngineCapabilities([.dictation, .volatileResults], maximumSessions: maximumSessions)
    }

    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        let isFree = sessions.withLock { open in
            open += 1
            return open <= capabilities.maximumSessions ?? .max
        }
        guard isFree else { throw DictationError(.alreadyRunning, "There are too many sessions.") }
        return try await DecoderSession.open(
            "loudness", audioFormat: .speech, options: options, onEnd: { self.sessions.withLock { $0 -= 1 } }
        ) { Decoder() }
    }

    private struct Decoder: SpeechDecoder {
        private var loudest: Int16 = 0
        private var frames = 0

        mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
            for sample in buffer.int16Samples {
                loudest = max(loudest, sample)
                frames += 1
                if frames % 16_000 == 0 { end(into: results) }
            }
        }

        mutating func finalize(into results: ResultSink) async throws(DictationError) {
            if frames % 16_000 > 0 { end(into: results) }
        }

        private mutating func end(into results: ResultSink) {
            let end = AudioFormat.speech.duration(ofFrames: Int64(frames))
            let start = Duration.seconds((frames - 1) / 16_000)
            if loudest > 1_000 {
                results.emit(.volatile(SpeechResult(range: start..<end, text: "l")))
                results.emit(.final(SpeechResult(range: start..<end, text: "loud")))
            } else {
                results.emit(.finalized(through: end))
            }
            loudest = 0
        }
    }
}
