import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Engines that end too early, or that answer only at the end.
@Suite struct TwoPassEndTests {
    private var recording: ScriptedCapturer { ScriptedCapturer([.tone(440, for: .seconds(20))], pacing: .onDemand) }

    /// The quick engine recognizes four words in each two seconds.
    private func engine(
        _ thorough: any SpeechEngine, preview: TwoPassEngine.Preview = .quick
    ) -> TwoPassEngine {
        TwoPassEngine(quick: ScriptedEngine(.counting, name: "quick"), thorough: thorough, preview: preview)
    }

    @Test(arguments: [1, 2]) func aRecordingEndsWhenTheThoroughEnginesResultsEndEarly(workers: Int) async throws {
        try await VirtualTime.run { _ in
            let runtime = DictationRuntime.current
            let start = runtime.now()
            let transcription = engine(HandmadeEngine.endingEarly()).transcribe(recording, workers: workers)
            var results = transcription.updates().makeAsyncIterator()
            let error = await #expect(throws: DictationError.self) { while try await results.next() != nil {} }
            #expect(error?.code == .engineFailed)
            // Workers deliver no more after an error.
            if workers == 1 { #expect(results.transcript.text == "It began.") }
            #expect(!results.transcript.isComplete)
            #expect(runtime.now() - start < .seconds(125))
        }
    }

    @Test func aLiveSessionEndsWhenTheShownEnginesResultsEndEarly() async throws {
        try await VirtualTime.run { _ in
            let early = HandmadeEngine.endingEarly([.dictation, .volatileResults])
            let session = try await engine(early, preview: .thorough).makeSession(.liveDictation())
            try session.start(AudioInput([AudioBuffer(silence: 160_000, format: .speech)]))
            let error = await #expect(throws: DictationError.self) { for try await _ in session.results {} }
            #expect(error?.code == .engineFailed)
        }
    }

    @Test(arguments: [1, 2]) func anEngineThatAnswersOnlyAtTheEndKeepsItsText(workers: Int) async throws {
        try await VirtualTime.run { _ in
            let late = HandmadeEngine.answeringAtTheEnd("It was all said at the end.")
            let transcript = try await engine(late).transcribe(recording, workers: workers).transcript()
            #expect(transcript.text == "It was all said at the end.")
            #expect(transcript.isComplete)
        }
    }

    /// Each of three stretches of live speech would cost the whole time limit.
    @Test func aThoroughEngineWhoseResultsEndEarlyCostsASecondAndNoText() async throws {
        try await VirtualTime.run { _ in
            let runtime = DictationRuntime.current
            let start = runtime.now()
            let texts = try await engine(HandmadeEngine.endingEarly())
                .results(Array(buffers(seconds: 6)), .liveDictation()).finals
            #expect(texts.map(\.text) == Array(repeating: "one two three four", count: 3))
            #expect(texts.allSatisfy { $0.isDoubtful })
            #expect(runtime.now() - start < .seconds(5))
        }
    }

    /// A recording whose engine hangs in its last stretch.
    @Test(arguments: [1, 2]) func whatAnEngineDoesNotFinishIsNotSilent(workers: Int) async throws {
        try await VirtualTime.run { _ in
            let stuck = HandmadeEngine(finishes: false) { input, out in
                var iterator = input.makeAsyncIterator()
                while let buffer = try? await iterator.next() {
                    guard buffer.start < .seconds(10), buffer.end >= .seconds(10) else { continue }
                    out.yield(.final(SpeechResult(range: .zero ..< .seconds(10), text: "It began.")))
                }
                try? await DictationRuntime.current.sleep(.seconds(200))
                out.finish()
            }
            let transcript = try await engine(stuck).transcribe(recording, workers: workers).transcript()
            #expect(transcript.text == "It began.")
            #expect(!transcript.isComplete)
        }
    }

    @Test func textBeforeALossIsKept() async throws {
        try await VirtualTime.run { _ in
            let cause = DictationError(.engineFailed, "The helper was killed.")
            let lossy = HandmadeEngine([.dictation, .volatileResults]) { input, out in
                var iterator = input.makeAsyncIterator()
                while let buffer = try? await iterator.next(), buffer.end < .seconds(6) {}
                out.yield(.final(SpeechResult(range: .zero ..< .seconds(2), text: "Before.")))
                out.yield(
                    .interrupted(SpeechUpdate.EngineInterruption(cause: cause, lost: .seconds(2) ..< .seconds(4))))
                out.yield(.final(SpeechResult(range: .seconds(4) ..< .seconds(6), text: "After.")))
                out.yield(.finalized(through: .seconds(6)))
                out.finish()
            }
            let updates = try await engine(lossy, preview: .thorough).results(
                buffers(seconds: 6), .liveDictation())
            #expect(updates.finals.map(\.range) == [.zero ..< .seconds(2), .seconds(4) ..< .seconds(6)])
            #expect(
                updates.contains {
                    if case .interrupted(let loss) = $0 { loss.lost == .seconds(2) ..< .seconds(4) } else { false }
                })
        }
    }

    private func buffers(seconds count: Int) -> [AudioBuffer] {
        (0..<(count * 10)).map { AudioBuffer(silence: 1_600, format: .speech, start: .milliseconds(100 * $0)) }
    }
}
