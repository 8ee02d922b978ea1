import DictationCore
import DictationEngines
import DictationTesting
import FoundationEssentials
import Testing

/// Noise, cut into pieces of so many frames, with a gap where one is wanted.
private func noise(
    seconds: Int = 5, pieces: ClosedRange<Int> = 1_600...1_600, seed: UInt64 = 1, gapAt gap: Int? = nil
) -> [AudioBuffer] {
    var random = SplitMix64(seed: 99)
    let samples = (0..<seconds * 16_000).map { _ in Int16.random(in: .min ... .max, using: &random) }
    let whole = AudioBuffer(samples)
    var cuts = SplitMix64(seed: seed)
    var buffers: [AudioBuffer] = []
    var frame = 0
    while frame < whole.frameCount {
        var end = min(whole.frameCount, frame + Int.random(in: pieces, using: &cuts))
        if let gap, frame < gap { end = min(end, gap) }
        let piece = whole.slice(frame..<end)
        buffers.append(gap.map { frame >= $0 } ?? false ? piece.moved(to: piece.start + .seconds(10)) : piece)
        frame = end
    }
    return buffers
}

private let script: SpeechScript = [
    .volatile("go", at: .seconds(1)),
    .volatile("go four", at: .milliseconds(1_500)),
    .final(
        "go forward", at: .seconds(2),
        words: [.init("go", range: .milliseconds(200)..<Duration.seconds(1), confidence: 0.25), .init("forward")],
        alternatives: [.init("go \"four\"\nword — ü 🎤", confidence: 0.2), .init("no")]),
    .volatile("ten", at: .seconds(3)),
    .revoke(at: .milliseconds(3_500)),
    .volatile("ten metres", at: .seconds(4)),
    .final("ten metres more"),
]

private let options: RecognitionOptions = {
    var options = RecognitionOptions.patient
    options.wordTimes = true
    options.wordConfidence = true
    options.maximumAlternatives = 2
    return options
}()

/// Feeds buffers as they would come from a microphone and gives each result with the time at which it came.
private func live(
    _ engine: any SpeechEngine, _ buffers: [AudioBuffer], _ options: RecognitionOptions, _ clock: ManualClock
) async throws -> [(Duration, SpeechResult)] {
    let session = try await engine.makeSession(options)
    let runtime = DictationRuntime.current
    let began = clock.now.offset
    try session.start(
        AudioInput {
            var left = buffers[...]
            return { () throws(DictationError) in
                guard let next = left.first else { return nil }
                try? await runtime.sleep(max(.zero, began + next.end - clock.now.offset))
                return left.popFirst()
            }
        })
    var seen: [(Duration, SpeechResult)] = []
    for try await result in session.results { seen.append((clock.now.offset - began, result)) }
    return seen
}

@Suite struct RecordingTests {
    @Test(arguments: [nil, 40_000])
    func aReplaySaysTheSameAtTheSameTimes(gap: Int?) async throws {
        try await withTemporaryPath { path in
            try await VirtualTime.run { clock in
                let recorder = try RecordingEngine(ScriptedEngine(script), to: path)
                let original = try await live(recorder, noise(gapAt: gap), options, clock)
                try await recorder.flush()
                let recording = try Recording(contentsOfFile: path)
                #expect(recording.damage == nil)
                #expect(original.count == 7)
                for (seed, pieces) in [1_600...1_600, 1...400, 1...30_000, 80_000...80_000].enumerated() {
                    let cut = noise(pieces: pieces, seed: UInt64(seed), gapAt: gap)
                    let replay = try await live(ReplayEngine(recording), cut, options, clock)
                    if pieces.upperBound <= 1_600 {
                        #expect(replay.map(\.1) == original.map(\.1))
                        let differences = zip(replay, original).map { $0.0 - $1.0 }
                        let cutLength = Duration.microseconds(pieces.upperBound * 125 / 2)
                        #expect(differences.allSatisfy { $0 >= .zero && $0 <= cutLength }, "\(pieces): \(differences)")
                    }
                    // Of volatile results in one piece the newest wins.
                    #expect(replay.map(\.1).filter(\.isFinal) == original.map(\.1).filter(\.isFinal))
                }
            }
        }
    }

    @Test func aRecordedReplayIsTheSameRecording() async throws {
        try await withTemporaryPath { path in
            try await withTemporaryPath { second in
                try await VirtualTime.run { clock in
                    let recorder = try RecordingEngine(ScriptedEngine(script), to: path)
                    _ = try await live(recorder, noise(), options, clock)
                    try await recorder.flush()
                    let again = try RecordingEngine(try ReplayEngine(contentsOfFile: path), to: second)
                    _ = try await live(again, noise(), options, clock)
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
                .grammar(Grammar(jsgf: "#JSGF V1.0;\ngrammar g;", rule: "r")),
                .keyphrases([Keyphrase("hey", sensitivity: 0.5)]),
                .alignment("go forward"),
            ]
            let asked = tasks.map { task in
                RecognitionOptions(
                    locale: "de", task: task, priority: .accuracy, wordTimes: true,
                    contextualStrings: [ContextualString("Ürdingen", pronunciation: "y", weight: .infinity)],
                    deadline: .milliseconds(601_234))
            }
            let audio = AudioBuffer(
                [0.25, -0.5, Float.leastNonzeroMagnitude, 1e30], sampleRate: 44_100, channelCount: 2)
            _ = try await recorder.results(of: [audio], asked[0])
            await expectError(.modelInvalid) { try await recorder.makeSession(asked[1]) }
            _ = try await recorder.results(of: [audio], asked[2])
            try await recorder.flush()

            let recording = try Recording(contentsOfFile: path)
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
                await #expect(throws: broken) { try await live(recorder, noise(), .liveDictation(), clock) }
                try await recorder.flush()
                let replay = try ReplayEngine(contentsOfFile: path)
                let began = clock.now.offset
                let session = try await replay.makeSession(.liveDictation())
                try session.start(AudioInput(replay.recording.sessions[0].audio))
                await #expect(throws: broken) { try await session.finish() }
                #expect(clock.now.offset == began)
                var results: [SpeechResult] = []
                await #expect(throws: broken) { for try await result in session.results { results.append(result) } }
                #expect(results.finalText == "go")
                #expect(results.last?.isIncomplete == true)
            }
        }
    }

    // MARK: Exactness

    @Test func audioThatDiffersIsAnError() async throws {
        let recording = try await recorded()
        var changed = noise()
        changed[7] = AudioBuffer(silence: 1_600, format: .speech, start: changed[7].start)
        let cases: [([AudioBuffer], String)] = [
            (changed, "differs from the recording's, at 0.7 seconds"),
            (Array(noise().dropLast()), "ends before the recording's, at 4.9 seconds"),
            (noise() + silence(.milliseconds(10), from: .seconds(5)), "is longer than the recording's, at 5.0 seconds"),
            (noise().map { $0.moved(to: $0.start + .seconds(1)) }, "lies elsewhere: it was recorded at 0.0 seconds"),
            ([], "ends before the recording's, at 0.0 seconds"),
        ]
        for (audio, message) in cases {
            let session = try await ReplayEngine(recording).makeSession(options)
            try session.start(AudioInput(audio))
            await #expect {
                try await session.finish()
            } throws: {
                ($0 as? DictationError)?.code == .invalidInput && "\($0)".contains(message)
            }
            // Nobody minds where it was not asked for.
            let lenient = try await ReplayEngine(recording, exactness: .lenient).results(of: audio, options)
            #expect(lenient.completion == .complete)
            #expect(
                lenient.results.finalText
                    == (audio.count < 50 ? audio.isEmpty ? "" : "go forward ten metres" : "go forward ten metres more"))
        }
    }

    @Test func optionsThatDifferAreAnError() async throws {
        let recording = try await recorded()
        var other = options
        other.priority = .speed
        other.maximumAlternatives = 1
        await #expect {
            try await ReplayEngine(recording).makeSession(other)
        } throws: {
            "\($0)".contains("priority was balanced and is now speed; maximumAlternatives was 2 and is now 1")
        }
        other.deadline = .seconds(77)
        #expect(
            try await ReplayEngine(recording, exactness: .lenient).results(of: noise(), other).results.finalText != "")
        var more = options
        more.maximumAlternatives = 5
        await expectError(.unsupportedOption) {
            try await ReplayEngine(recording, exactness: .lenient).makeSession(more)
        }
        var french = options
        french.locale = "fr"
        await expectError(.unsupportedLocale) {
            try await ReplayEngine(recording, exactness: .lenient).makeSession(french)
        }
        var patient = options
        patient.deadline = .seconds(100)
        _ = try await ReplayEngine(recording).makeSession(patient)
    }

    @Test func finalizingEarlySaysNothingTwice() async throws {
        let recording = try await recorded()
        try await VirtualTime.run { _ in
            let session = try await ReplayEngine(recording).makeSession(options)
            let gate = Watched(false)
            try session.start(AudioInput(noise(), waitingAt: .milliseconds(1_600), for: gate))
            _ = try await session.finalize(through: .milliseconds(1_600))
            gate.change { $0 = true }
            _ = try await session.finish()
            var through: Duration = .zero
            for try await result in session.results where result.isFinal {
                #expect(result.range.lowerBound >= through || result.range.isEmpty)
                through = result.finalizedThrough
            }
            #expect(through == .seconds(5))
        }
    }

    // MARK: Damage

    @Test func aFileCutAnywhereIsReadUpToItsLastWholeLine() async throws {
        let (whole, text) = try await recordedText()
        let bytes = Array(text.utf8)
        var lineEnds = Set(bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 })
        lineEnds.insert(bytes.count)
        let headerEnd = try #require(lineEnds.min())
        var lengths = Array(stride(from: 0, to: bytes.count, by: 9_973))
        for end in lineEnds { lengths += [end - 1, end, min(end + 1, bytes.count)] }
        var counts = Set<Int>()
        for length in lengths {
            let cut = String(decoding: bytes[..<length], as: UTF8.self)
            guard length >= headerEnd else {
                #expect(throws: DictationError.self) { try Recording(jsonLines: cut) }
                continue
            }
            let recording = try Recording(jsonLines: cut)
            #expect((recording.damage == nil) == lineEnds.contains(length))
            guard let session = recording.sessions.first else { continue }
            #expect(session.results == Array(whole.sessions[0].results.prefix(session.results.count)))
            guard counts.insert(session.results.count).inserted else { continue }
            let samples = session.audio.flatMap(\.int16Samples)
            #expect(samples == Array(noise().flatMap(\.int16Samples).prefix(samples.count)))
            // What there is can be replayed.
            let replay = try await ReplayEngine(recording).results(of: session.audio, options)
            #expect(replay.completion == .complete)
        }
        #expect(counts.count > 6)
    }

    @Test func anyDamageIsFoundOrHarmless() async throws {
        let (_, text) = try await recordedText(seconds: 1)
        // Short lines, so that the damage hits more than audio.
        let lines = text.split(separator: "\n").map {
            $0.count > 4_000 ? String($0.prefix(2_000) + $0.suffix(2_000)) : String($0)
        }
        let original = Array(lines.joined(separator: "\n").utf8) + [UInt8(ascii: "\n")]
        var random = SplitMix64(seed: 11)
        var (refused, cutShort, whole) = (0, 0, 0)
        for _ in 0..<1_000 {
            let bytes = damaged(original, &random)
            do throws(DictationError) {
                let recording = try Recording(jsonLines: String(decoding: bytes, as: UTF8.self))
                if recording.damage == nil { whole += 1 } else { cutShort += 1 }
                guard let session = recording.sessions.first else { continue }
                let replay = ReplayEngine(recording, exactness: .lenient)
                _ = try? await replay.results(of: Array(session.audio.prefix(20)), session.options)
            } catch {
                #expect(error.code == .invalidInput && error.message.contains("line 1"))
                refused += 1
            }
        }
        #expect(refused > 3 && cutShort > 100 && whole > 3, "\(refused) \(cutShort) \(whole)")
    }

    @Test(arguments: [
        ("", "line 1: it is not whole"),
        ("hello\n", "line 1: it is not JSON"),
        ("{\"kind\":\"audio\"}\n", "not a recording's first line"),
        ("{\"kind\":\"recording\",\"version\":2}\n", "version 2 is not known"),
        ("{\"version\":1}\n", "line 1: it has no 'kind'"),
    ])
    func whatIsNoRecordingIsRefused(text: String, reason: String) {
        #expect {
            try Recording(jsonLines: text)
        } throws: {
            ($0 as? DictationError)?.code == .invalidInput && "\($0)".contains(reason)
        }
    }

    @Test func everythingIsInTheFileWhileTheRecorderStillRuns() async throws {
        try await withTemporaryPath { path in
            try await VirtualTime.run { clock in
                let recorder = try RecordingEngine(ScriptedEngine(script), to: path)
                let session = try await recorder.makeSession(options)
                let pieces = noise()
                let runtime = DictationRuntime.current
                try session.start(
                    AudioInput {
                        var left = pieces[...]
                        return { () throws(DictationError) in
                            try? await runtime.sleep(.milliseconds(100))
                            return left.popFirst()
                        }
                    })
                await clock.advance(by: .milliseconds(2_550))
                // As a process that is killed here would leave it.
                let recording = try Recording(contentsOfFile: path)
                #expect(recording.damage == nil)
                #expect(recording.sessions[0].results.map(\.result.text) == ["go", "go four", "go forward"])
                #expect(recording.sessions[0].duration == .milliseconds(2_500))
                #expect(!recording.sessions[0].hasWholeAudio)
                await session.cancel()
            }
        }
    }

    @Test func aDiskThatIsFullEndsTheRecordingAndNotTheRecognition() async throws {
        let recorder = try RecordingEngine(ScriptedEngine(script), to: "/dev/full")
        let (results, completion) = try await recorder.results(of: noise(), options)
        #expect(completion == .complete)
        #expect(results.finalText == "go forward ten metres more")
        await expectError(.storageFull) { try await recorder.flush() }
        #expect(recorder.failure?.code == .storageFull)
        await expectError(.fileUnreadable) { try RecordingEngine(ScriptedEngine(script), to: "/nonexistent/x") }
        await expectError(.fileUnreadable) { try ReplayEngine(contentsOfFile: "/nonexistent/x") }
    }

    @Test func theRecorderKeepsTheContractOfCancelling() async throws {
        try await withTemporaryPath { path in
            try await VirtualTime.run { clock in
                let scripted = ScriptedEngine([.stall(at: .milliseconds(500))])
                let recorder = try RecordingEngine(scripted, to: path)
                let session = try await recorder.makeSession(options)
                try session.start(AudioInput(noise()))
                await clock.advance(by: .seconds(1))
                await session.cancel()
                for try await _ in session.results { Issue.record("a result of a cancelled session") }
                await expectError(.cancelled) { try await session.finish() }
                let stalled = try await recorder.makeSession(options)
                try stalled.start(AudioInput(noise()))
                #expect(try await stalled.finish() == .incomplete)
                var dropped: (any RecognitionSession)? = try await recorder.makeSession(options)
                #expect(dropped != nil)
                dropped = nil
                await clock.settle()
                #expect(scripted.openSessions == 0)
            }
        }
    }

    // MARK: Recordings

    private func recordedText(seconds: Int = 5) async throws -> (Recording, String) {
        try await withTemporaryPath { path in
            try await VirtualTime.run { clock in
                let recorder = try RecordingEngine(ScriptedEngine(script), to: path)
                _ = try await live(recorder, noise(seconds: seconds), options, clock)
                try await recorder.flush()
                return (
                    try Recording(contentsOfFile: path),
                    try String(contentsOf: URL(filePath: path), encoding: .utf8)
                )
            }
        }
    }

    private func recorded() async throws -> Recording { try await recordedText().0 }
}

@Suite struct DocumentTests {
    @Test func theExampleOfARecordingCanBeReplayed() async throws {
        let example = try #require(examples(of: "json", in: "RecordingAndReplaying").first)
        let recording = try Recording(jsonLines: example)
        #expect(recording.damage == nil)
        #expect(recording.sessions[0].audio.flatMap(\.int16Samples) == [0, 1, -1])
        let replay = try await ReplayEngine(recording).results(of: recording.sessions[0].audio, RecognitionOptions())
        #expect(replay.results.map(\.text) == ["go"])
    }

    @Test func theExamplesOfScriptsCanBeRead() throws {
        let example = try #require(examples(of: "json", in: "ScriptingAnEngine").first)
        #expect(try SpeechScript(json: example).steps.count == 7)
        let marbles = "-----(go)-----[go forward / go four word] 3s {error engineFailed The engine broke.}"
        #expect(try examples(of: "swift", in: "ScriptingAnEngine").contains { $0.contains(marbles) })
        #expect(
            try SpeechScript(marbles: marbles) == [
                .volatile("go", at: .milliseconds(500)),
                .final("go forward", at: .seconds(1), alternatives: [.init("go four word")]),
                .error(DictationError(.engineFailed, "The engine broke."), at: .seconds(4)),
            ])
    }
}
