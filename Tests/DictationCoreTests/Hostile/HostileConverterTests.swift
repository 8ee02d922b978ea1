import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Converters that throw, return nothing, or return too much.
@Suite struct HostileConverterTests {
    static let broken = DictationError(.unsupportedFormat, "It can't.", recovery: "Use another.")

    /// Runs a take of five seconds with a microphone of 48 kHz.
    static func take(
        _ converters: HostileConverters, clock: ManualClock
    ) async -> (text: Transcript, engine: ScriptedEngine) {
        let engine = ScriptedEngine([.final("one", at: .seconds(1)), .volatile("two", at: .seconds(2))])
        let microphone = ScriptedCapturer([.tone(440, for: .seconds(500))], format: AudioFormat(sampleRate: 48_000))
        let session = DictationSession(
            engine: engine, capturer: microphone, converters: converters, configuration: shortLimits())
        let witness = Witness(session)
        _ = try? await session.start()
        await clock.advance(by: .seconds(5))
        let began = clock.now.offset
        let text = await session.stop()
        #expect(clock.now.offset - began <= .seconds(2.5))
        await session.waitUntilSettled()
        await clock.advance(by: .seconds(20))
        #expect(witness.problems == [])
        #expect(witness.ended[TakeID(number: 1)] == text)
        #expect(engine.openSessions == 0)
        return (text, engine)
    }

    /// Returns a silent buffer with a third of the frames and the same start.
    static func third(_ buffer: AudioBuffer) -> AudioBuffer {
        AudioBuffer(silence: buffer.frameCount / 3, format: .speech, start: buffer.start)
    }

    static func check(_ text: Transcript, _ engine: ScriptedEngine) {
        let left = unaccounted(text, fed: engine.sessions.flatMap(\.ranges))
        #expect(left.missing < .milliseconds(1), "\(text.duration) \(text.gaps) \(engine.sessions.map(\.ranges))")
        #expect(left.doubled < .milliseconds(1), "\(text.duration) \(text.gaps) \(engine.sessions.map(\.ranges))")
    }

    @Test func oneThatCannotBeMadeLosesAllAsAGap() async throws {
        try await VirtualTime.run { clock in
            let (text, engine) = await Self.take(
                HostileConverters { _, _ throws(DictationError) in throw Self.broken }, clock: clock)
            #expect(text.error == Self.broken)
            #expect(!text.isComplete)
            Self.check(text, engine)
        }
    }

    @Test(arguments: [0, 1, 7, 20, 49]) func oneThatThrowsLosesTheRestAsAGap(after count: Int) async throws {
        try await VirtualTime.run { clock in
            let (text, engine) = await Self.take(
                HostileConverters { input, output in
                    let calls = Count()
                    return HostileConverter(
                        input, output,
                        convert: { buffer throws(DictationError) in
                            if calls.next() >= count { throw Self.broken }
                            return Self.third(buffer)
                        })
                }, clock: clock)
            #expect(text.error == Self.broken)
            #expect(!text.isComplete)
            #expect(text.text == (count > 19 ? "one two" : count > 9 ? "one" : ""))
            Self.check(text, engine)
        }
    }

    @Test func oneThatThrowsAtTheFlushKeepsTheText() async throws {
        try await VirtualTime.run { clock in
            let (text, engine) = await Self.take(
                HostileConverters { input, output in
                    HostileConverter(
                        input, output, convert: { Self.third($0) },
                        flush: { () throws(DictationError) in throw Self.broken })
                }, clock: clock)
            #expect(text.text.hasPrefix("one"))
            Self.check(text, engine)
        }
    }

    @Test func oneThatGivesNothingLosesAllAsAGap() async throws {
        try await VirtualTime.run { clock in
            let (text, engine) = await Self.take(
                HostileConverters { input, output in
                    HostileConverter(input, output, convert: { _ in AudioBuffer(silence: 0, format: output) })
                }, clock: clock)
            #expect(!text.isComplete)
            Self.check(text, engine)
        }
    }

    @Test func oneThatGivesTooMuchEndsInOrder() async throws {
        try await VirtualTime.run { clock in
            let (text, _) = await Self.take(
                HostileConverters { input, output in
                    HostileConverter(
                        input, output,
                        convert: { AudioBuffer(silence: $0.frameCount * 5, format: output, start: $0.start) })
                }, clock: clock)
            #expect(text.duration < .seconds(6))
            for segment in text.segments { #expect(segment.range.lowerBound >= .zero) }
        }
    }

    @Test func oneThatHoldsEverythingUntilTheFlushLosesNothing() async throws {
        try await VirtualTime.run { clock in
            let (text, engine) = await Self.take(
                HostileConverters { input, output in
                    let held = Count()
                    return HostileConverter(
                        input, output,
                        convert: { buffer in
                            for _ in 0..<buffer.frameCount / 3 { held.next() }
                            return AudioBuffer(silence: 0, format: output)
                        },
                        flush: {
                            defer { while held.value > 0 { held.drop() } }
                            return AudioBuffer(silence: held.value, format: output)
                        })
                }, clock: clock)
            #expect(text.text.hasPrefix("one"))
            Self.check(text, engine)
        }
    }

    @Test func oneThatGivesAnotherFormatThanItSaysEndsTheTakeWithAnError() async throws {
        try await VirtualTime.run { clock in
            let (text, engine) = await Self.take(
                HostileConverters { input, output in HostileConverter(input, output, convert: { $0 }) }, clock: clock)
            #expect(text.error?.code == .unsupportedFormat)
            #expect(!text.isComplete)
            // The engine got the buffer that it refused, so that buffer is not in a gap.
            let left = unaccounted(text, fed: engine.sessions.flatMap(\.ranges))
            #expect(left.missing <= .milliseconds(100) && left.doubled == .zero)
        }
    }

    static let times: [Duration] = [.seconds(-5), .seconds(1e12), .seconds(Int64.max), .seconds(Int64.min), .zero]

    /// Gaps lie on the take's timeline, which begins at zero, even if the converter returns other times.
    @Test(arguments: times) func oneThatGivesWrongTimesEndsInOrder(time: Duration) async throws {
        try await VirtualTime.run { clock in
            let (text, _) = await Self.take(
                HostileConverters { input, output in
                    HostileConverter(input, output, convert: { Self.third($0).moved(to: time) })
                }, clock: clock)
            #expect(text.duration < .seconds(6))
            for gap in text.gaps { #expect(gap.range.upperBound <= text.duration && gap.range.lowerBound >= .zero) }
        }
    }

    #if SampleRate
    @Test(arguments: HostilePauseTests.rates, AudioFormat.SampleType.allCases)
    func oneBufferAtATimeOrAllAtOnceTheFramesAreTheSame(rate: Int, type: AudioFormat.SampleType) throws {
        let format = AudioFormat(sampleRate: rate, channelCount: 2, sampleType: type)
        var counts: [Int] = []
        for cut in [1, 7, 1_013, 100_000] {
            let converter = try SampleRateConverter(from: format, to: .speech, quality: .fast)
            var frames = 0
            var end = Duration.zero
            var at = 0
            while at < 3_001 {
                let size = min(cut, 3_001 - at)
                let out = try converter.convert(
                    AudioBuffer(silence: size, format: format, start: format.duration(ofFrames: Int64(at))))
                if !out.isEmpty {
                    #expect(out.start >= end)
                    end = out.end
                }
                frames += out.frameCount
                at += size
            }
            frames += try converter.flush().frameCount
            counts.append(frames)
        }
        let expected = Int((3_001.0 * 16_000 / Double(rate)).rounded())
        #expect(counts == [expected, expected, expected, expected])
    }
    #endif
}
