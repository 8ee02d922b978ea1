import DictationCapture
import DictationCore
import DictationEngines
import DictationTesting
import Testing

/// Each loss is reported once, with its time and length.
@Suite struct LossTests {
    @Test(arguments: [8_000, 16_000, 44_100, 48_000, 192_000])
    func aGapLastsAsLongAsItDidWhateverTheRateAroundIt(rate: Int) async throws {
        try await VirtualTime.run { clock in
            let format = AudioFormat(sampleRate: rate)
            let microphone = ScriptedCapturer(
                [.gap(for: .seconds(2)), .tone(440, for: .seconds(60))], format: format)
            let session = DictationSession(
                engine: ScriptedEngine(.counting, audioFormat: format), capturer: microphone)
            try await session.start()
            await clock.advance(by: .seconds(4))
            let transcript = await session.stop()
            #expect(transcript.gaps.map(\.range) == [.zero..<(.seconds(2))])
            #expect(transcript.gaps.map(\.frameCount) == [Int64(2 * rate)])
            #expect(transcript.duration >= .seconds(4) && transcript.duration < .milliseconds(4_400))
        }
    }

    @Test(arguments: [16_000, 11_025, 44_100, 48_000])
    func aRunOfDroppedBuffersIsOneGap(rate: Int) async throws {
        try await VirtualTime.run { clock in
            let format = AudioFormat(sampleRate: rate)
            let engine = ScriptedEngine(
                [.stall(at: .milliseconds(500), for: .seconds(20)), .final("one", at: .milliseconds(500))],
                audioFormat: format)
            let microphone = ScriptedCapturer(
                [.tone(440, for: .seconds(600))], format: format, bufferDuration: format.duration(ofFrames: 1_024))
            let session = DictationSession(engine: engine, capturer: microphone)
            session.configuration.backlog = .seconds(2)
            try await session.start()
            await clock.advance(by: .seconds(10))
            // The engine continues in this time, so no second gap may come.
            await clock.advance(by: .seconds(20))
            let transcript = await session.stop()
            #expect(transcript.gaps.count == 1 && transcript.gaps.first?.cause == .engineBehind)
            #expect(!transcript.isComplete)
            let lost = transcript.gaps.reduce(0) { $0 + $1.frameCount }
            #expect(transcript.gaps.first.map { format.frames(in: $0.range.upperBound - $0.range.lowerBound) } == lost)
        }
    }

    /// A converter that works for a while and then fails while it holds audio.
    private struct FailingConverter: FormatConverter {
        let inputFormat: AudioFormat
        let outputFormat: AudioFormat
        var base: any FormatConverter
        var left = 10

        mutating func convert(_ buffer: AudioBuffer) throws(DictationError) -> AudioBuffer {
            left -= 1
            if left < 0 { throw DictationError(.unsupportedFormat, "The converter broke.") }
            return try base.convert(buffer)
        }
        mutating func flush() throws(DictationError) -> AudioBuffer { try base.flush() }
    }

    private struct FailingConverters: FormatConverterProvider {
        func makeConverter(from input: AudioFormat, to output: AudioFormat) throws(DictationError)
            -> any FormatConverter
        {
            FailingConverter(
                inputFormat: input, outputFormat: output,
                base: try SampleRateConverter.Provider().makeConverter(from: input, to: output))
        }
    }

    @Test func whatABrokenConverterHadIsAGap() async throws {
        try await VirtualTime.run { clock in
            let engine = WordEngine()
            let capturer = ScriptedCapturer([.tone(440, for: .seconds(60))], format: AudioFormat(sampleRate: 48_000))
            let session = DictationSession(engine: engine, capturer: capturer, converters: FailingConverters())
            try await session.start()
            await clock.advance(by: .seconds(3))
            let transcript = await session.stop()
            #expect(transcript.error?.message == "The converter broke.")
            let heard = AudioFormat.speech.duration(ofFrames: engine.fed.value)
            let gaps = transcript.gaps.map { $0.range.upperBound - $0.range.lowerBound }.reduce(.zero, +)
            let difference = transcript.duration - heard - gaps
            #expect(abs(difference / .milliseconds(1)) < 1, "\(transcript)")
            #expect(transcript.gaps.allSatisfy { $0.cause == .engineFailed } && !transcript.isComplete)
        }
    }

    @Test func whatASourceThatOutlivesItsStopHadIsAGap() async throws {
        try await VirtualTime.run { clock in
            var engine = WordEngine()
            engine.stallsAfter = .seconds(2)
            let recording = ScriptedCapturer([.tone(440, for: .seconds(60)), .end], pacing: .onDemand)
            let session = DictationSession(engine: engine, capturer: recording)
            session.configuration.backlog = .seconds(1)
            try await session.start()
            await clock.advance(by: .seconds(3))
            let transcript = await session.stop()
            await session.waitUntilSettled()
            #expect(transcript.gaps.allSatisfy { $0.cause == .engineBehind }, "the engine is slow, but did not fail")
            let missing = transcript.gaps.reduce(0) { $0 + $1.frameCount }
            // The decoder has one unfinished buffer, and up to two more were pulled ahead for it.
            let pulled = recording.counts.delivered - missing - engine.fed.value
            #expect(pulled > 0 && pulled <= 3 * 1_600)
            #expect(transcript.duration == AudioFormat.speech.duration(ofFrames: recording.counts.delivered))
        }
    }
}
