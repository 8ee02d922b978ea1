import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// A decoder that reports silence as results without text, although it should not.
private struct CarelessDecoder: SpeechDecoder {
    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        results.emit(.volatile(SpeechResult(range: buffer.range, text: "\n")))
        results.emit(.final(SpeechResult(range: buffer.range, text: buffer.start == .zero ? "go" : "")))
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {}
}

private struct CarelessEngine: SpeechEngine {
    let name = "careless"
    let capabilities = EngineCapabilities([.dictation, .volatileResults])
    var supportedLocales: [SpeechLocale] { get async { ["en-US"] } }

    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        try await DecoderSession.open(name, audioFormat: .speech, options: options) { CarelessDecoder() }
    }
}

@Suite struct SilenceTests {
    private let recording = ScriptedCapturer([.tone(440, for: .seconds(2)), .end], pacing: .onDemand)

    @Test func aLoopOverResultsPrintsNoBlankLine() async throws {
        let session = try await CarelessEngine().makeSession(.liveDictation())
        try session.start(
            AudioInput((0..<3).map { AudioBuffer(silence: 1_600, format: .speech, start: .milliseconds(100 * $0)) }))
        _ = try await session.finish()
        var (lines, through) = ([String](), Duration.zero)
        for try await update in session.results {
            if let result = update.result { lines.append(result.text) }
            through = update.finalizedThrough ?? through
        }
        #expect(lines == ["go"])
        #expect(through == .milliseconds(300))
    }

    @Test func aSessionOfOnesOwnCannotSendABlankLine() async throws {
        let (results, continuation) = RecognitionResults.makeStream()
        let range = Duration.zero..<Duration.seconds(1)
        continuation.yield(.volatile(SpeechResult(range: range, text: "")))
        continuation.yield(.final(SpeechResult(range: range, text: " ")))
        continuation.finish()
        var updates: [SpeechUpdate] = []
        for try await update in results { updates.append(update) }
        #expect(updates == [.revoked(range), .finalized(through: .seconds(1))])
    }

    @Test func aLoopOverATranscriptionPrintsNoBlankLine() async throws {
        var lines: [String] = []
        for try await phrase in CarelessEngine().transcribe(recording, options: .liveDictation()) {
            lines.append(phrase.text)
        }
        #expect(lines == ["go"])
    }

    /// An app can act on each turn while the take goes on.
    @Test func theEndOfATurnIsAnEventAfterItsText() async throws {
        try await VirtualTime.run { clock in
            let engine = ScriptedEngine([.final("send it", at: .seconds(1)), .turnEnd(at: .seconds(1)), .final("now")])
            let session = DictationSession(engine: engine, capturer: ScriptedCapturer([.tone(440, for: .seconds(60))]))
            let events = session.events()
            try await session.start()
            await clock.advance(by: .seconds(2))
            await session.stop()
            var seen: [String] = []
            loop: for await event in events {
                switch event.kind {
                case .text(let change): seen += change.finalResults.map(\.text)
                case .turnEnded(let time): seen.append("turn at \(time / .seconds(1))")
                case .ended: break loop
                default: break
                }
            }
            #expect(seen == ["send it", "turn at 1.0", "now"])
        }
    }

    @Test func aLoopOverEventsPrintsNoBlankLine() async throws {
        try await VirtualTime.run { clock in
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(3_600))])
            let session = DictationSession(engine: CarelessEngine(), capturer: microphone)
            let events = session.events()
            try await session.start()
            await clock.advance(by: .seconds(2))
            await session.stop()
            var lines: [String] = []
            loop: for await event in events {
                switch event.kind {
                case .text(let change):
                    #expect(!change.finalResults.isEmpty || !change.volatileTail.isEmpty)
                    lines += change.finalResults.map(\.text)
                case .ended: break loop
                default: break
                }
            }
            #expect(lines == ["go"])
        }
    }
}
