import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// An utterance that is probably over is decoded before the quick engine ends it.
@Suite struct EarlyDecodingTests {
    /// A quick engine that ends an utterance half a second after its speech, at two seconds.
    private var quick: ScriptedEngine {
        ScriptedEngine([.volatile("one", at: .seconds(1)), .final("one two", at: .seconds(2))])
    }

    /// Tones at some times, and silence else, in buffers of a size.
    private func audio(
        _ tones: [Range<Double>], until end: Double = 3, frames size: Int = 800
    ) -> [AudioBuffer] {
        let samples = (0..<Int(end * 16_000)).map { index -> Int16 in
            tones.contains { $0.contains(Double(index) / 16_000) } ? (index % 40 < 20 ? 8_000 : -8_000) : 0
        }
        return stride(from: 0, to: samples.count, by: size).map { first in
            AudioBuffer(
                Array(samples[first..<min(samples.count, first + size)]),
                start: AudioFormat.speech.duration(ofFrames: Int64(first)))
        }
    }

    /// The final results of audio that arrives as fast as it is said, each with the time when it came.
    private func finals(
        _ engine: any SpeechEngine, _ buffers: [AudioBuffer]
    ) async throws -> [(result: SpeechResult, time: Duration)] {
        let runtime = DictationRuntime.current
        let session = try await engine.makeSession(.liveDictation())
        let start = runtime.now()
        try session.start(
            AudioInput {
                var next = buffers.makeIterator()
                return { () async throws(DictationError) in
                    let buffer = next.next()
                    if let buffer { try? await runtime.sleep(max(.zero, start + buffer.end - runtime.now())) }
                    return buffer
                }
            })
        var found: [(SpeechResult, Duration)] = []
        for try await update in session.results {
            if let result = update.finalResult { found.append((result, runtime.now() - start)) }
        }
        return found
    }

    private func thorough(_ texts: String..., takes time: Duration = .milliseconds(200)) -> ScriptedEngine {
        ScriptedEngine(
            sessions: texts.map { [.final($0), .slowFinish(time)] }, capabilities: EngineCapabilities([.dictation]))
    }

    @Test(arguments: 1...20) func theFinalTextIsThereWhenTheUtteranceEnds(seed: UInt64) async throws {
        try await VirtualTime.run(seed: seed) { _ in
            let second = thorough("One, two.")
            let alone = try await finals(quick, audio([0.3..<1.5]))
            let found = try await finals(TwoPassEngine(quick: quick, thorough: second), audio([0.3..<1.5]))
            #expect(found.map(\.result.text) == ["One, two."])
            #expect(found.map(\.time) == alone.map(\.time))
            #expect(second.sessions.map(\.framesFed) == [28_160, 0])
        }
    }

    @Test func speechThatGoesOnIsDecodedAgain() async throws {
        try await VirtualTime.run { _ in
            let second = thorough("One.", "One, two.")
            let found = try await finals(
                TwoPassEngine(quick: quick, thorough: second), audio([0.3..<1.1, 1.5..<1.7]))
            #expect(found.map(\.result.text) == ["One, two."])
            #expect(second.sessions.prefix(2).map(\.framesFed) == [21_760, 31_360])
        }
    }

    @Test(arguments: [1, 2]) func anEngineWithFewSessionsIsAskedTwiceIfItMust(sessions: Int) async throws {
        try await VirtualTime.run { _ in
            let second = ScriptedEngine(
                sessions: ["One.", "One, two."].map { [.final($0), .slowFinish(.seconds(1))] },
                capabilities: EngineCapabilities([.dictation], maximumSessions: sessions))
            let found = try await finals(
                TwoPassEngine(quick: quick, thorough: second), audio([0.3..<1.1, 1.5..<2]))
            #expect(found.map(\.result.text) == ["One, two."])
            #expect(found.allSatisfy { !$0.result.isDoubtful })
        }
    }

    /// The text depends on the audio alone.
    @Test(arguments: [100, 800, 16_000, 48_000]) func theSameAudioIsDecodedAtAnySpeed(frames: Int) async throws {
        try await VirtualTime.run { _ in
            for isPaced in [true, false] {
                let second = thorough("One, two.")
                let engine = TwoPassEngine(quick: quick, thorough: second)
                let buffers = audio([0.3..<1.5], frames: frames)
                if isPaced {
                    _ = try await finals(engine, buffers)
                } else {
                    _ = try await engine.results(buffers, .liveDictation())
                }
                #expect(Set(second.sessions.map(\.framesFed)).subtracting([0]) == [28_160])
            }
        }
    }

    @Test func manyPausesCostLittle() async throws {
        try await VirtualTime.run { _ in
            let second = ScriptedEngine([.final("It went on and on.")])
            let first = ScriptedEngine([.volatile("it", at: .seconds(1)), .final("it went on", at: .seconds(30))])
            let tones = stride(from: 0.3, to: 28, by: 0.7).map { (start: Double) in start..<start + 0.3 }
            let found = try await finals(TwoPassEngine(quick: first, thorough: second), audio(tones, until: 31))
            #expect(found.map(\.result.text) == ["It went on and on."])
            let fed = second.sessions.map(\.framesFed)
            #expect(fed.count { $0 > 0 } > 2, "it was decoded early")
            #expect(fed.reduce(0, +) <= 1_920_000, "it decodes the half minute at most four times")
        }
    }
}
