import DictationCore
import Testing

@testable import DictationEngines
@testable import DictationTesting

/// Random speech, cuts, sizes of buffers, orders of tasks, and moods of the thorough engine.
@Suite struct TwoPassScheduleProofTests {
    private struct Run: Sendable {
        let speech: SpelledSpeech
        let engine: TwoPassEngine
        let buffers: [AudioBuffer]
        var options = RecognitionOptions.liveDictation()
        let isPaced: Bool
        let number: UInt64

        /// - Parameters:
        ///   - seed: Draws all else.
        ///   - moods: The moods of the thorough engine besides good ones.
        init(seed: UInt64, moods: [SpellingEngine.Mood] = [], writesParts: Bool = false) {
            var random = SplitMix64(seed: seed)
            let speech = SpelledSpeech(seed: seed, seconds: Int.random(in: 4...45, using: &random))
            var script = speech.quickScript(
                longest: .milliseconds(Int.random(in: 4_000...15_000, using: &random)),
                lateness: .milliseconds(Int.random(in: 0...150, using: &random)))
            if Int.random(in: 0..<4, using: &random) == 0 {
                script.append(
                    .stall(
                        at: .milliseconds(Int.random(in: 100...4_000, using: &random)),
                        for: .milliseconds(Int.random(in: 10...9_000, using: &random))))
            }
            let limit = [nil, 1, 2].randomElement(using: &random) ?? nil
            let thorough = SpellingEngine(speech, writesParts: writesParts, maximumSessions: limit) { attempt in
                var random = SplitMix64(seed: seed &* 1_000 &+ UInt64(attempt))
                guard !moods.isEmpty, Int.random(in: 0..<3, using: &random) == 0 else { return .good }
                return moods.randomElement(using: &random) ?? .good
            }
            self.speech = speech
            engine = TwoPassEngine(quick: ScriptedEngine(ScriptedEngine.Script(script)), thorough: thorough)
            buffers = speech.buffers(&random, longest: [400, 3_200, 40_000].randomElement(using: &random) ?? 400)
            isPaced = Bool.random(using: &random)
            number = UInt64.random(in: 0...(.max), using: &random)
            options.volatileResults = true
            options.wordTimes = Bool.random(using: &random)
        }

        var input: AudioInput {
            AudioInput {
                let runtime = DictationRuntime.current
                let start = runtime.now()
                var next = buffers.makeIterator()
                return { () async throws(DictationError) in
                    let buffer = next.next()
                    if isPaced, let buffer { try? await runtime.sleep(max(.zero, start + buffer.end - runtime.now())) }
                    return buffer
                }
            }
        }

        func begin() async throws(DictationError) -> (any RecognitionSession, ResultReader) {
            let session = try await engine.makeSession(options)
            let reader = ResultReader(session.results)
            reader.begin()
            try session.start(input)
            return (session, reader)
        }

        /// Waits for the end of the audio, and returns all results.
        func results() async throws(DictationError) -> ResultReader.Log {
            let (session, reader) = try await begin()
            #expect(await reader.end(within: .seconds(3_000)) != nil)
            _ = try await session.finish()
            return reader.log.value
        }

        func expectRules(_ log: ResultReader.Log, _ location: SourceLocation = #_sourceLocation) {
            let findings = Findings<EngineConformance.Clause>(responseTimeout: .seconds(1))
            ResultRules(audioEnd: speech.duration, slack: .milliseconds(1)).judge(log, in: findings)
            let report = findings.report(on: "two-pass")
            #expect(report.violations.isEmpty, "\(report)", sourceLocation: location)
        }
    }

    /// The number of seeds of each test.
    private static let seeds = 0..<UInt64(40)

    @Test(arguments: [false, true]) func noWordIsLostOrDoubledHoweverSpeechIsCut(writesParts: Bool) async throws {
        for seed in Self.seeds {
            try await VirtualTime.run(seed: seed) { _ in
                let run = Run(seed: seed, moods: [.late], writesParts: writesParts)
                let log = try await run.results()
                #expect(log.spokenText == run.speech.text, "\(seed)")
                #expect(log.finals.allSatisfy { $0.isComplete })
                run.expectRules(log)
            }
        }
    }

    @Test func aThoroughEngineThatMisbehavesCostsNoWord() async throws {
        for seed in Self.seeds {
            try await VirtualTime.run(seed: seed) { _ in
                let run = Run(seed: seed, moods: [.late, .silent, .repeating, .rambling])
                let log = try await run.results()
                #expect(log.spokenText == run.speech.text, "\(seed)")
                #expect(log.finals.allSatisfy { $0.isComplete })
                run.expectRules(log)
            }
        }
    }

    @Test func aThoroughEngineThatIsStuckCostsNoWord() async throws {
        for seed in Self.seeds {
            try await VirtualTime.run(seed: seed) { _ in
                let run = Run(seed: seed, moods: [.late, .stuck])
                let log = try await run.results()
                #expect(log.spokenText == run.speech.text, "\(seed)")
                run.expectRules(log)
            }
        }
    }

    @Test func anErrorEndsTheSessionAndKeepsWhatWasFinal() async throws {
        var failed = 0
        for seed in Self.seeds {
            failed += try await VirtualTime.run(seed: seed) { _ in
                let run = Run(seed: seed, moods: [.late, .failing, .refusing])
                guard let (session, reader) = try? await run.begin() else { return 1 }
                let end = await reader.end(within: .seconds(3_000))
                let outcome = await Result.of { () throws(DictationError) in try await session.finish() }
                let log = reader.log.value
                #expect(run.speech.text.hasPrefix(log.spokenText), "\(seed)")
                run.expectRules(log)
                guard case .failure(let error) = outcome else {
                    #expect(end == .finished && log.spokenText == run.speech.text, "\(seed)")
                    return 0
                }
                #expect(error.code == .engineFailed && end == .failed(error))
                return 1
            }
        }
        #expect(failed > 20)
    }

    @Test func aCancelEndsTheSessionAtAnyTime() async throws {
        for seed in Self.seeds {
            try await VirtualTime.run(seed: seed) { clock in
                let run = Run(seed: seed, moods: [.late, .stuck, .silent, .repeating])
                let (session, reader) = try await run.begin()
                let finishing = DictationRuntime.current.task {
                    if run.number % 2 == 0 { _ = try? await session.finish() }
                }
                try await DictationRuntime.current.sleep(run.speech.duration * (Double(run.number % 1_000) / 800))
                let before = DictationRuntime.current.now()
                await session.cancel()
                let end = await reader.end(within: .seconds(1))
                await finishing.value
                #expect(end == .finished, "\(seed)")
                #expect(DictationRuntime.current.now() - before < .seconds(2), "\(seed)")
                #expect(run.speech.text.hasPrefix(reader.log.value.spokenText), "\(seed)")
                run.expectRules(reader.log.value)
            }
        }
    }

    @Test func aFinalizationInTheMiddleKeepsThePromises() async throws {
        for seed in Self.seeds {
            try await VirtualTime.run(seed: seed) { _ in
                let run = Run(seed: seed, moods: [.late, .stuck, .silent, .repeating])
                let (session, reader) = try await run.begin()
                try await DictationRuntime.current.sleep(run.speech.duration * (Double(run.number % 1_000) / 2_000))
                let time = run.speech.duration * (Double(run.number % 777) / 777)
                if try await session.finalize(through: time) == .complete {
                    #expect(reader.log.value.watermark + .milliseconds(1) >= time, "\(seed)")
                }
                _ = await reader.end(within: .seconds(3_000))
                run.expectRules(reader.log.value)
                // A word may be cut in two by the request.
                let heard = Set(reader.log.value.spokenText.split(separator: " "))
                #expect(run.speech.words.count { !heard.contains($0.text[...]) } <= 1, "\(seed)")
            }
        }
    }
}

extension ResultReader.Log {
    /// The final text without case and punctuation.
    fileprivate var spokenText: String { SpokenWord.words(of: text).map(\.text).joined(separator: " ") }
}
