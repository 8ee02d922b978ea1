import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// The thorough engine shows its own text, and the quick engine stays unseen.
@Suite struct TwoPassPreviewTests {
    private func buffers(seconds count: Int) -> [AudioBuffer] {
        (0..<(count * 10)).map { AudioBuffer(silence: 1_600, format: .speech, start: .milliseconds(100 * $0)) }
    }

    private let looks: ScriptedEngine.Script = [
        .volatile("He was", at: .seconds(1)), .volatile("He was not", at: .milliseconds(1_500)),
        .final("He was not.", at: .seconds(2)),
    ]

    private func engine(_ quick: ScriptedEngine, _ thorough: ScriptedEngine) -> TwoPassEngine {
        TwoPassEngine(quick: quick, thorough: thorough, preview: .thorough)
    }

    @Test func theThoroughEnginesOwnTextIsShown() async throws {
        try await VirtualTime.run { _ in
            let (quick, thorough) = (ScriptedEngine(.counting, name: "quick"), ScriptedEngine(looks))
            let updates = try await engine(quick, thorough).results(buffers(seconds: 2), .liveDictation())
            // The final text is shown until it was checked.
            #expect(updates.volatiles.map(\.text) == ["He was", "He was not", "He was not."])
            #expect(updates.finals.map(\.text) == ["He was not."])
            #expect(updates.finals.allSatisfy { !$0.isDoubtful && $0.isComplete })
            #expect(quick.sessions.isEmpty, "nothing needs the quick engine")
        }
    }

    /// A turn ends after its final text, which waits for the review.
    @Test func theEndOfATurnComesAfterItsText() async throws {
        try await VirtualTime.run { _ in
            let script = ScriptedEngine.Script(looks.steps + [.turnEnd(at: .seconds(2))])
            let updates = try await engine(ScriptedEngine(.counting, name: "quick"), ScriptedEngine(script))
                .results(buffers(seconds: 3), .liveDictation())
            let final = try #require(updates.firstIndex { $0.finalResult?.text == "He was not." })
            let turn = try #require(updates.firstIndex(of: .turnEnded(at: .seconds(2))))
            #expect(final < turn && updates.count { if case .turnEnded = $0 { true } else { false } } == 1)
        }
    }

    @Test func wordsHaveTheQuickEnginesTimes() async throws {
        try await VirtualTime.run { _ in
            var options = RecognitionOptions.liveDictation()
            options.wordTimes = true
            let said = [
                SpeechResult.Word("he", range: .milliseconds(100) ..< .milliseconds(300)),
                SpeechResult.Word("was", range: .milliseconds(400) ..< .milliseconds(700)),
                SpeechResult.Word("not", range: .milliseconds(900) ..< .milliseconds(1_400)),
            ]
            let quick = ScriptedEngine([.final("he was not", at: .seconds(2), words: said)], name: "quick")
            let words = try await engine(quick, ScriptedEngine(looks)).results(buffers(seconds: 2), options).words
            #expect(words.map(\.text) == ["He", "was", "not."])
            #expect(words.map(\.range) == said.map(\.range))
        }
    }

    /// The text was on the screen, so silence in its place can't be right if the other engine hears words, too.
    @Test func textThatWasShownAndThenMissedComesFromTheQuickEngine() async throws {
        try await VirtualTime.run { _ in
            let quick = ScriptedEngine([.final("buy milk")], name: "quick")
            let thorough = ScriptedEngine(
                sessions: [[.volatile("Buy", at: .seconds(1)), .finalize(at: .seconds(2))], []],
                capabilities: EngineCapabilities([.dictation, .volatileResults]))
            let silent = ScriptedEngine(
                sessions: [[.volatile("Buy", at: .seconds(1)), .revoke(at: .seconds(2))], []],
                capabilities: EngineCapabilities([.dictation, .volatileResults]))
            let kept = try await engine(quick, thorough).results(buffers(seconds: 3), .liveDictation()).finals
            #expect(kept.map(\.text) == ["Buy"])
            let missed = try await engine(quick, silent).results(buffers(seconds: 3), .liveDictation()).finals
            #expect(missed.map(\.text) == ["buy milk"])
            #expect(missed.map(\.isDoubtful) == [true])
        }
    }

    /// Both engines say that it was noise.
    @Test func textThatWasShownForANoiseGoes() async throws {
        try await VirtualTime.run { _ in
            let silent = ScriptedEngine(
                sessions: [[.volatile("Uh", at: .seconds(1)), .revoke(at: .seconds(2))], []],
                capabilities: EngineCapabilities([.dictation, .volatileResults]))
            let quick = ScriptedEngine([], name: "quick")
            let texts = try await engine(quick, silent).results(buffers(seconds: 3), .liveDictation()).finals
            #expect(texts.isEmpty)
        }
    }

    @Test func runawayTextGivesWayWhileSpeaking() async throws {
        try await VirtualTime.run { _ in
            let runaway = Array(repeating: "Please call Stella.", count: 6).joined(separator: " ")
            let quick = ScriptedEngine([.final("please call stella")], name: "quick")
            let thorough = ScriptedEngine([.final(runaway, at: .seconds(2))])
            let texts = try await engine(quick, thorough).results(buffers(seconds: 2), .liveDictation()).finals
            #expect(texts.map(\.text) == ["please call stella"])
            #expect(texts.map(\.isDoubtful) == [true])
        }
    }

    @Test func anEngineWithoutVolatileTextLeavesThePreviewToTheQuickEngine() async throws {
        try await VirtualTime.run { _ in
            let thorough = ScriptedEngine([.final("One.")], capabilities: EngineCapabilities([.dictation]))
            let updates = try await engine(ScriptedEngine(.counting), thorough).results(
                buffers(seconds: 2), .liveDictation())
            #expect(updates.volatiles.last?.text == "one two three four")
            #expect(updates.finals.map(\.text) == ["One."])
        }
    }

    @Test(arguments: 1...10) func itConformsInAnyOrderOfTasks(seed: UInt64) async throws {
        let failure = DictationError(.engineFailed, "The engine broke.")
        let shown = ScriptedEngine.Script.Step.volatile("go", at: .seconds(1))
        _ = try await VirtualTime.run(seed: seed) { _ in
            await expectConformance(
                of: EngineConformance(
                    engine(ScriptedEngine([.final("one two")]), ScriptedEngine(.counting)),
                    audio: [AudioBuffer(silence: 16_000 * 5, format: .speech)],
                    failing: engine(
                        ScriptedEngine(.counting), ScriptedEngine([shown, .error(failure, at: .seconds(2))])),
                    stalling: engine(ScriptedEngine(.counting), ScriptedEngine([shown, .stall(at: .seconds(2))]))))
        }
    }
}
