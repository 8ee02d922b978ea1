import DictationCore
import DictationTesting
import Testing

@Suite struct AudioFormatTests {
    @Test(arguments: [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000])
    func framesAndTimesAreInverse(_ rate: Int) {
        let format = AudioFormat(sampleRate: rate)
        for frames: Int64 in [0, 1, 2, 3, 12_345, 441_001, 1 << 40] {
            #expect(format.frames(in: format.duration(ofFrames: frames)) == frames)
        }
    }

    @Test(arguments: [(0, 1), (-1, 1), (16_000, 0), (16_000, 1 << 31), (Int.max, 1)])
    func aFormatThatAudioCannotHaveIsRefused(_ rate: Int, _ channels: Int) {
        let format = AudioFormat(sampleRate: rate, channelCount: channels)
        #expect { try format.validated() } throws: { ($0 as? DictationError)?.code == .unsupportedFormat }
    }
}

@Suite struct AudioBufferTests {
    @Test func aSliceKnowsWhereItLies() {
        let samples: [Int16] = [1, 2, 3, 4, 5, 6, 7, 8]
        let buffer = AudioBuffer(samples, sampleRate: 1_000, channelCount: 2, start: .seconds(1))
        let slice = buffer.slice(1..<3)
        #expect(slice.int16Samples == [3, 4, 5, 6])
        #expect(slice.start == .milliseconds(1_001))
        #expect(slice.end == .milliseconds(1_003))
        #expect(slice.slice(1..<99).int16Samples == [5, 6])
        #expect(buffer.slice(5..<9).isEmpty)
    }

    @Test func aFrameThatIsNotWholeIsLeftOut() {
        #expect(AudioBuffer([1, 2, 3] as [Int16], channelCount: 2).frameCount == 1)
        #expect(AudioBuffer([1, 2, 3] as [Int16], channelCount: 0).frameCount == 0)
        #expect(AudioBuffer(silence: -5, format: .speech).isEmpty)
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity, 2, -2])
    func samplesOutsideFullScaleAreClipped(_ sample: Float) {
        let expected: Int16 = sample.isNaN ? 0 : sample > 0 ? 32_767 : -32_768
        #expect(AudioBuffer([sample]).int16Samples == [expected])
    }

    @Test func silenceAndLevelsAreMeasured() {
        #expect(AudioBuffer([Int16](repeating: 0, count: 9)).isDigitalSilence)
        let square = AudioBuffer([Float](repeating: 0.5, count: 100))
        let level = AudioLevel(of: square)
        #expect(abs(level.rms.value + 6.02) < 0.01)
        #expect(level.peak == level.rms)
        #expect(AudioLevel(of: AudioBuffer([Float]())) == .silence)
        #expect(AudioLevel(of: AudioBuffer([Float.nan])) == .silence)
    }

    @Test func aLevelIsTheSameOfWholeNumbersAndOfFractions() {
        var random = SplitMix64(seed: 1)
        for count in [1, 2, 15, 320, 4_800] {
            let samples = [Int16.min] + (1..<count).map { _ in Int16.random(in: .min ... .max, using: &random) }
            let fractions = samples.map { Float($0) / 32_768 }
            #expect(AudioLevel(of: AudioBuffer(samples)) == AudioLevel(of: AudioBuffer(fractions)))
            #expect(AudioLevel(of: AudioBuffer(samples)).peak.value == 0)
        }
    }
}

@Suite struct AudioTimelineTests {
    @Test func timesGoOnAcrossFormats() {
        var timeline = AudioTimeline()
        #expect(timeline.advance(by: 44_100, of: AudioFormat(sampleRate: 44_100)) == .zero..<(.seconds(1)))
        #expect(timeline.advance(by: 8_000, of: AudioFormat(sampleRate: 16_000)).upperBound == .milliseconds(1_500))
        #expect(timeline.position == .milliseconds(1_500))
    }

    @Test func aFrameClockFindsTimesAcrossGaps() {
        var clock = DecoderSession.FrameClock(format: .speech)
        clock.feed(frames: 16_000, at: .zero)
        clock.feed(frames: 16_000, at: .seconds(5))
        #expect(clock.time(ofFrame: 8_000) == .milliseconds(500))
        #expect(clock.time(ofFrame: 24_000) == .milliseconds(5_500))
        clock.discard(before: 20_000)
        #expect(clock.time(ofFrame: 24_000) == .milliseconds(5_500))
    }
}
