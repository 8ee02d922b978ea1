import DictationCapture
import DictationCore
import DictationTesting
import Testing

/// Engines whose times lie far beyond the audio.
@Suite struct HostileTimesTests {
    private static let far = Duration.seconds(1_000_000)

    /// A session that says a word for each second. Its second word is said to end in eleven days.
    private static var behavior: HandSession.Behavior {
        var behavior = HandSession.Behavior()
        behavior.take = { session, buffer in
            let second = Int(buffer.end / .seconds(1))
            guard second > 0, buffer.start < .seconds(second) else { return }
            session.say("w\(second - 1)", .seconds(second - 1), for: second == 2 ? far : .seconds(1))
        }
        return behavior
    }

    private func expectTimes(of transcript: Transcript) {
        #expect(transcript.text == "w0 w1 w2 w3 w4")
        for (second, segment) in transcript.segments.enumerated() {
            #expect(segment.range.lowerBound >= .seconds(second))
            #expect(segment.range.lowerBound <= .seconds(second) + .milliseconds(200), "\(segment.range)")
            #expect(segment.range.upperBound <= transcript.duration)
        }
    }

    @Test func aFinalFarBeyondTheAudioMovesNoOtherInATake() async throws {
        try await VirtualTime.run { clock in
            let (text, _, _, _) = await HostileEngineTests.take(Self.behavior, clock: clock)
            expectTimes(of: text)
        }
    }

    @Test func aFinalFarBeyondTheAudioMovesNoOtherInARecording() async throws {
        try await VirtualTime.run { _ in
            let recording = HostileTranscriptionTests.recording(seconds: 5, open: Count())
            expectTimes(of: try await HandSessions().engine(Self.behavior).transcribe(recording).transcript())
        }
    }

    /// A decoder that finalizes a word in eleven days with its first buffer.
    private struct FarDecoder: SpeechDecoder {
        mutating func decode(_ buffer: AudioBuffer, into results: ResultSink) throws(DictationError) {
            let range = buffer.start..<(buffer.start == .zero ? far : buffer.end)
            results.emit(.volatile(SpeechResult(range: range, text: "per")))
            results.emit(.final(SpeechResult(range: range, text: "word")))
        }
        mutating func finalize(into results: ResultSink) {}
    }

    @Test func aDecodersTimesAreThoseOfItsAudio() async throws {
        try await VirtualTime.run { _ in
            let session = try await DecoderSession.open("far", audioFormat: .speech, options: .liveDictation()) {
                FarDecoder()
            }
            try session.start(
                AudioInput((0..<3).map { AudioBuffer(silence: 16_000, format: .speech, start: .seconds($0)) }))
            var finals: [Range<Duration>] = []
            var volatiles = 0
            for try await update in session.results {
                if case .volatile = update { volatiles += 1 }
                if let result = update.finalResult { finals.append(result.range) }
            }
            #expect(finals.map(\.lowerBound) == (0..<3).map { .seconds($0) })
            #expect(finals.last?.upperBound == .seconds(3))
            #expect(volatiles == 3)
        }
    }
}
