import DictationCore
import DictationEngines
import DictationTesting
import FoundationEssentials
import Testing

@Suite struct RecordingTests {
    @Test(arguments: [nil, 40_000])
    func aReplaySaysTheSameAtTheSameTimes(gap: Int?) async throws {
        try await withTemporaryPath { path in
            try await VirtualTime.run { clock in
                let recorder = try RecordingEngine(ScriptedEngine(Recorded.script), to: path)
                let original = try await Recorded.live(recorder, Recorded.noise(gapAt: gap), Recorded.options, clock)
                try await recorder.flush()
                let recording = try ReplayEngine.Recording(contentsOfFile: path)
                #expect(recording.damage == nil)
                #expect(original.count == 7)
                for (seed, pieces) in [1_600...1_600, 1...400, 1...30_000, 80_000...80_000].enumerated() {
                    let cut = Recorded.noise(pieces: pieces, seed: UInt64(seed), gapAt: gap)
                    let replay = try await Recorded.live(ReplayEngine(recording), cut, Recorded.options, clock)
                    if pieces.upperBound <= 1_600 {
                        #expect(replay.map(\.1) == original.map(\.1))
                        let differences = zip(replay, original).map { $0.0 - $1.0 }
                        let cutLength = Duration.microseconds(pieces.upperBound * 125 / 2)
                        #expect(differences.allSatisfy { $0 >= .zero && $0 <= cutLength }, "\(pieces): \(differences)")
                    }
                    // Of volatile results in one piece the newest wins.
                    #expect(replay.map(\.1).finals == original.map(\.1).finals)
                }
            }
        }
    }

    @Test func aReplayKnowsDoubtfulText() async throws {
        try await withTemporaryPath { path in
            try await VirtualTime.run { clock in
                let doubted = ScriptedEngine([.final("please call stella", at: .seconds(2))])
                let silent = ScriptedEngine([], capabilities: EngineCapabilities([.dictation]))
                let recorder = try RecordingEngine(TwoPassEngine(quick: doubted, thorough: silent), to: path)
                let original = try await Recorded.live(recorder, Recorded.noise(), .liveDictation(), clock)
                try await recorder.flush()
                let replay = try await Recorded.live(
                    ReplayEngine(contentsOfFile: path), Recorded.noise(), .liveDictation(), clock)
                #expect(replay.map(\.1).finals.map(\.isDoubtful) == [true])
                #expect(replay.map(\.1).finals == original.map(\.1).finals)
            }
        }
    }

    @Test func aReplayKnowsTheSpeaker() async throws {
        let (_, text) = try await Recorded.recordingAndText()
        try await withTemporaryPath { path in
            try await withTemporaryPath { second in
                let named = text.replacing(#""text":"go forward""#, with: #""speaker":"Anna","text":"go forward""#)
                try named.write(to: URL(filePath: path), atomically: true, encoding: .utf8)
                try await VirtualTime.run { clock in
                    let again = try RecordingEngine(try ReplayEngine(contentsOfFile: path), to: second)
                    let replay = try await Recorded.live(again, Recorded.noise(), Recorded.options, clock)
                    try await again.flush()
                    #expect(replay.map(\.1).finals.map(\.speaker) == ["Anna", nil])
                    let written = try String(contentsOf: URL(filePath: second), encoding: .utf8)
                    #expect(written.contains(#""speaker":"Anna""#))
                }
            }
        }
    }

    @Test func aRecordedReplayIsTheSameRecording() async throws {
        try await withTemporaryPath { path in
            try await withTemporaryPath { second in
                try await VirtualTime.run { clock in
                    let recorder = try RecordingEngine(ScriptedEngine(Recorded.script), to: path)
                    _ = try await Recorded.live(recorder, Recorded.noise(), Recorded.options, clock)
                    try await recorder.flush()
                    let again = try RecordingEngine(try ReplayEngine(contentsOfFile: path), to: second)
                    _ = try await Recorded.live(again, Recorded.noise(), Recorded.options, clock)
                    try await again.flush()
                    let files = try [path, second].map { try String(contentsOf: URL(filePath: $0), encoding: .utf8) }
                    #expect(files[0].count > 100_000)
                    #expect(files[0] == files[1])
                }
            }
        }
    }

    @Test func everythingAskedForIsInTheRecording() async throws {
        try await withTemporaryPath { path in
            let capabilities = EngineCapabilities(Set(EngineCapabilities.Feature.allCases), maximumSessions: 3)
            let scripted = ScriptedEngine(
                sessions: [
                    [.final("a")], [.failingStart(.init(.modelInvalid, "bad", recovery: "mend it"))], [.final("b")],
                ],
                name: "special", locales: ["en-US", "de"], capabilities: capabilities,
                audioFormat: AudioFormat(sampleRate: 44_100, channelCount: 2, sampleType: .float32))
            let recorder = try RecordingEngine(scripted, to: path)
            let tasks: [RecognitionTask] = [
                .grammar(RecognitionTask.Grammar(jsgf: "#JSGF V1.0;\ngrammar g;", rule: "r")),
                .keyphrases([RecognitionTask.Keyphrase("hey", sensitivity: 0.5)]),
                .alignment("go forward"),
            ]
            let asked = tasks.map { task in
                RecognitionOptions(
                    locale: "de", task: task, priority: .accuracy, wordTimes: true,
                    contextualStrings: [
                        RecognitionOptions.ContextualString("Ürdingen", pronunciation: "y", weight: .infinity)
                    ],
                    finalizationTimeout: .milliseconds(601_234))
            }
            let audio = AudioBuffer(
                [0.25, -0.5, Float.leastNonzeroMagnitude, 1e30], sampleRate: 44_100, channelCount: 2)
            _ = try await recorder.results(of: [audio], asked[0])
            await expectError(.modelInvalid) { try await recorder.makeSession(asked[1]) }
            _ = try await recorder.results(of: [audio], asked[2])
            try await recorder.flush()

            let recording = try ReplayEngine.Recording(contentsOfFile: path)
            #expect(recording.engine == "special")
            #expect(recording.locales == ["en-US", "de"])
            #expect(recording.capabilities == capabilities)
            #expect(recording.sessions.map(\.options) == asked)
            #expect(recording.sessions[0].audioFormat == audio.format)
            #expect(recording.sessions[0].audio.flatMap(\.floatSamples) == audio.floatSamples)
            #expect(recording.sessions[0].hasWholeAudio)

            let replay = ReplayEngine(recording)
            #expect(replay.capabilities == capabilities)
            #expect(try await replay.audioFormat(for: asked[0]) == audio.format)
            #expect(try await replay.results(of: [audio], asked[0]).results.finalText == "a")
            await expectError(.modelInvalid) { try await replay.makeSession(asked[1]) }
            #expect(try await replay.results(of: [audio], asked[2]).results.finalText == "b")
            await expectError(.invalidInput) { try await replay.makeSession(asked[2]) }
        }
    }

    @Test func anErrorIsReplayedWhereItCame() async throws {
        try await withTemporaryPath { path in
            try await VirtualTime.run { clock in
                let broken = DictationError(
                    .engineFailed, "broken", underlying: .init(domain: "C", code: -7, message: "words"))
                let scripted = ScriptedEngine([.volatile("go", at: .seconds(1)), .error(broken, at: .seconds(2))])
                let recorder = try RecordingEngine(scripted, to: path)
                await #expect(throws: broken) {
                    try await Recorded.live(recorder, Recorded.noise(), .liveDictation(), clock)
                }
                try await recorder.flush()
                let replay = try ReplayEngine(contentsOfFile: path)
                let began = clock.now.offset
                let session = try await replay.makeSession(.liveDictation())
                try session.start(AudioInput(replay.recording.sessions[0].audio))
                await #expect(throws: broken) { try await session.finish() }
                #expect(clock.now.offset == began)
                var results: [SpeechUpdate] = []
                await #expect(throws: broken) { for try await result in session.results { results.append(result) } }
                #expect(results.finalText == "go")
                #expect(results.last?.finalResult?.isComplete == false)
            }
        }
    }

    @Test func audioThatDiffersIsAnError() async throws {
        let recording = try await Recorded.recording()
        var changed = Recorded.noise()
        changed[7] = AudioBuffer(silence: 1_600, format: .speech, start: changed[7].start)
        let cases: [([AudioBuffer], String)] = [
            (changed, "differs from the recording's, at 0.7 seconds"),
            (Array(Recorded.noise().dropLast()), "ends before the recording's, at 4.9 seconds"),
            (
                Recorded.noise() + silence(.milliseconds(10), from: .seconds(5)),
                "is longer than the recording's, at 5.0 seconds"
            ),
            (
                Recorded.noise().map { $0.moved(to: $0.start + .seconds(1)) },
                "has another time: it was recorded at 0.0 seconds"
            ),
            ([], "ends before the recording's, at 0.0 seconds"),
        ]
        for (audio, message) in cases {
            let session = try await ReplayEngine(recording).makeSession(Recorded.options)
            try session.start(AudioInput(audio))
            await #expect {
                try await session.finish()
            } throws: {
                ($0 as? DictationError)?.code == .invalidInput && "\($0)".contains(message)
            }
            // Nobody minds where it was not asked for.
            let lenient = try await ReplayEngine(recording, exactness: .lenient).results(of: audio, Recorded.options)
            #expect(lenient.completion == .complete)
            #expect(
                lenient.results.finalText
                    == (audio.count < 50 ? audio.isEmpty ? "" : "go forward ten metres" : "go forward ten metres more"))
        }
    }

    @Test func optionsThatDifferAreAnError() async throws {
        let recording = try await Recorded.recording()
        var other = Recorded.options
        other.priority = .speed
        other.maximumAlternatives = 1
        await #expect {
            try await ReplayEngine(recording).makeSession(other)
        } throws: {
            "\($0)".contains("priority was balanced and is now speed; maximumAlternatives was 2 and is now 1")
        }
        other.finalizationTimeout = .seconds(77)
        #expect(
            try await ReplayEngine(recording, exactness: .lenient).results(of: Recorded.noise(), other).results
                .finalText != "")
        var more = Recorded.options
        more.maximumAlternatives = 5
        await expectError(.unsupportedOption) {
            try await ReplayEngine(recording, exactness: .lenient).makeSession(more)
        }
        var french = Recorded.options
        french.locale = "fr"
        await expectError(.unsupportedLocale) {
            try await ReplayEngine(recording, exactness: .lenient).makeSession(french)
        }
        var patient = Recorded.options
        patient.finalizationTimeout = .seconds(100)
        _ = try await ReplayEngine(recording).makeSession(patient)
    }

    @Test func finalizingEarlySaysNothingTwice() async throws {
        let recording = try await Recorded.recording()
        try await VirtualTime.run { _ in
            let session = try await ReplayEngine(recording).makeSession(Recorded.options)
            let gate = Watched(false)
            try session.start(AudioInput(Recorded.noise(), waitingAt: .milliseconds(1_600), for: gate))
            _ = try await session.finalize(through: .milliseconds(1_600))
            gate.change { $0 = true }
            _ = try await session.finish()
            var through: Duration = .zero
            for try await case .final(let result) in session.results {
                #expect(result.range.lowerBound >= through || result.range.isEmpty)
                through = result.range.upperBound
            }
            #expect(through == .seconds(5))
        }
    }
}

@Suite struct DocumentTests {
    @Test func theExampleOfARecordingCanBeReplayed() async throws {
        let example = try #require(examples(of: "json", in: "RecordingAndReplaying").first)
        let recording = try ReplayEngine.Recording(jsonLines: example)
        #expect(recording.damage == nil)
        #expect(recording.sessions[0].audio.flatMap(\.int16Samples) == [0, 1, -1])
        let replay = try await ReplayEngine(recording).results(of: recording.sessions[0].audio, RecognitionOptions())
        #expect(replay.results.finals.map(\.text) == ["go"])
    }

    @Test func theExamplesOfScriptsCanBeRead() throws {
        let example = try #require(examples(of: "json", in: "ScriptingAnEngine").first)
        #expect(try ScriptedEngine.Script(json: example).steps.count == 7)
        let marbles = "-----(go)-----[go forward / go four word] 3s {error engineFailed The engine broke.}"
        #expect(try examples(of: "swift", in: "ScriptingAnEngine").contains { $0.contains(marbles) })
        #expect(
            try ScriptedEngine.Script(marbles: marbles) == [
                .volatile("go", at: .milliseconds(500)),
                .final("go forward", at: .seconds(1), alternatives: [.init("go four word")]),
                .error(DictationError(.engineFailed, "The engine broke."), at: .seconds(4)),
            ])
    }
}
