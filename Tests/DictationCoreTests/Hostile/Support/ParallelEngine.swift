import DictationCore

/// An engine whose parallel transcription behaves well or breaks its promises in a given way.
struct ParallelEngine: ParallelTranscribing {
    let way: HostileTranscriptionTests.Parallel
    let name = "parallel"
    let capabilities = EngineCapabilities([.dictation, .volatileResults])
    var supportedLocales: [SpeechLocale] { get async { ["en-US"] } }

    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        HandSession(
            .init(take: { session, buffer in
                let seconds = buffer.end / .seconds(1)
                if seconds == seconds.rounded() { session.say("p\(Int(seconds) - 1)", .seconds(seconds - 1)) }
            }))
    }

    func transcribe(
        _ input: AudioInput, options: RecognitionOptions, workers: Int, into results: ResultSink
    ) async throws(DictationError) {
        guard way != .takingNothing else { return }
        var iterator = input.makeAsyncIterator()
        var second = 0
        while let buffer = try await iterator.next() {
            while .seconds(second + 1) <= buffer.end {
                let range = Duration.seconds(second)..<Duration.seconds(second + 1)
                let text = "p\(second)"
                second += 1
                switch way {
                case .throwing: if second == 3 { throw DictationError(.engineFailed, "It broke.") }
                case .silent: continue
                case .saysVolatile:
                    results.emit(.volatile(SpeechResult(range: range, text: text)))
                    continue
                case .overlapping:
                    results.emit(.final(SpeechResult(range: .zero..<Duration.seconds(99), text: text)))
                    continue
                default: break
                }
                results.emit(.final(SpeechResult(range: range, text: text)))
            }
        }
        if way == .afterItsEnd {
            _ = DictationRuntime.current.task {
                await DictationRuntime.current.rest(.seconds(1))
                results.emit(.final(SpeechResult(range: .seconds(5)..<Duration.seconds(6), text: "late")))
            }
        }
    }
}
