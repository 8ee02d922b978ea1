import DictationCapture
import DictationCore
import DictationTesting
import Testing

private let crash = DictationError(.engineFailed, "The engine's process died.")

/// An engine that shows text after each second of audio. After the second one it is interrupted and shows the text again;
/// after the third one it is interrupted for good and leaves the audio out.
private struct FragileDecoder: SpeechDecoder {
    private var seconds = 0

    mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) async throws(DictationError) {
        while buffer.end >= .seconds(seconds + 1) {
            let range = Duration.seconds(seconds)..<Duration.seconds(seconds + 1)
            seconds += 1
            results.emit(.volatile(SpeechResult(range: range, text: "perhaps \(seconds)")))
            if seconds == 2 { results.emit(.interrupted(SpeechUpdate.EngineInterruption(cause: crash))) }
            if seconds == 3 {
                results.emit(.interrupted(SpeechUpdate.EngineInterruption(cause: crash, lost: range)))
            } else {
                results.emit(.final(SpeechResult(range: range, text: "word \(seconds)")))
            }
        }
    }

    mutating func finalize(into results: ResultSink) async throws(DictationError) {}
}

private struct FragileEngine: SpeechEngine {
    let name = "fragile"
    let capabilities = EngineCapabilities([.dictation, .volatileResults])
    var supportedLocales: [SpeechLocale] { get async { ["en-US"] } }

    func audioFormat(for options: RecognitionOptions) async throws(DictationError) -> AudioFormat { .speech }

    func makeSession(_ options: RecognitionOptions) async throws(DictationError) -> any RecognitionSession {
        try await DecoderSession.open(name, audioFormat: .speech, options: options) { FragileDecoder() }
    }
}

@Suite struct EngineInterruptionTests {
    private let lost = Duration.seconds(2)..<Duration.seconds(3)

    @Test func aListenerIsToldOfAnInterruptionAndOfTheGap() async throws {
        try await VirtualTime.run { [lost] clock in
            let microphone = ScriptedCapturer([.tone(440, for: .seconds(3_600))])
            let session = DictationSession(engine: FragileEngine(), capturer: microphone)
            let events = session.events()
            try await session.start()
            await clock.advance(by: .seconds(4))
            await session.stop()
            var interruptions: [SpeechUpdate.EngineInterruption] = []
            var gaps: [AudioGap] = []
            var transcript: Transcript?
            loop: for await event in events {
                switch event.kind {
                case .engineInterrupted(let interruption): interruptions.append(interruption)
                case .gap(let gap):
                    #expect(interruptions.last?.lost == gap.range)
                    gaps.append(gap)
                case .ended(let text):
                    transcript = text
                    break loop
                default: break
                }
            }
            #expect(
                interruptions == [
                    SpeechUpdate.EngineInterruption(cause: crash),
                    SpeechUpdate.EngineInterruption(cause: crash, lost: lost),
                ])
            #expect(gaps.map(\.range) == [lost])
            #expect(gaps.map(\.cause) == [.engineFailed])
            #expect(transcript?.gaps == gaps)
            #expect(transcript?.isComplete == false)
            #expect(transcript?.segments.map(\.text).prefix(3) == ["word 1", "word 2", "word 4"])
        }
    }

    @Test func aTranscriptionHasTheGap() async throws {
        let recording = ScriptedCapturer([.tone(440, for: .seconds(4)), .end], pacing: .onDemand)
        let transcript = try await FragileEngine().transcribe(recording, options: .liveDictation()).transcript()
        #expect(transcript.text == "word 1 word 2 word 4")
        #expect(transcript.gaps.map(\.range) == [lost])
        #expect(!transcript.isComplete)
    }

    @Test func anInterruptionWithoutALossChangesNoFinality() async throws {
        let (results, continuation) = RecognitionResults.makeStream()
        continuation.yield(.interrupted(SpeechUpdate.EngineInterruption(cause: crash)))
        continuation.finish()
        var text = TranscriptAccumulator()
        text.apply(.volatile(SpeechResult(range: lost, text: "perhaps")))
        for try await update in results { text.apply(update) }
        #expect(text.finalizedThrough == .zero && text.volatileTail.count == 1)
        text.apply(.interrupted(SpeechUpdate.EngineInterruption(cause: crash, lost: lost)))
        #expect(text.finalizedThrough == .seconds(3) && text.volatileTail.isEmpty)
        #expect(text.finalResults.isEmpty)
    }
}
