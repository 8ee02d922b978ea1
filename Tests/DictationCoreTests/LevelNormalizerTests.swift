import DictationCore
import DictationTesting
import Testing

/// Imitates a voice: bursts of a tone with pauses between them, over a little noise.
private func voice(_ amplitude: Float, noise: Float = 0.0001, seconds: Int = 6) -> [Float] {
    var random = SplitMix64(seed: 3)
    var phase: Float = 0
    return (0..<(seconds * 16_000)).map { index in
        let isLoud = (index / 4_000) % 3 != 0
        phase += 0.08
        if phase > 1 { phase -= 2 }
        return (isLoud ? phase * amplitude : 0) + Float.random(in: -noise...noise, using: &random)
    }
}

private func normalized(_ samples: [Float], cut: Int = .max, target: AudioLevel.Normalizer.Target = .init()) -> [Float]
{
    var normalizer = AudioLevel.Normalizer(sampleRate: 16_000, target: target)
    var samples = samples
    var start = 0
    while start < samples.count {
        let end = min(samples.count, start + min(cut, samples.count))
        samples.withUnsafeMutableBufferPointer {
            normalizer.normalize(UnsafeMutableBufferPointer(rebasing: $0[start..<end]))
        }
        start = end
    }
    return samples
}

private func rms(_ samples: some Collection<Float>) -> Float {
    (samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))).squareRoot()
}

@Suite struct LevelNormalizerTests {
    @Test(arguments: [Float(0.9), 0.3, 0.1, 0.03, 0.01, 0.003])
    func speechOfAnyLevelComesOutAtOne(_ amplitude: Float) {
        let result = normalized(voice(amplitude, noise: amplitude / 1_000))
        let speech = result.suffix(32_000).filter { abs($0) > 0.01 }
        #expect((0.07...0.16).contains(rms(speech)), "\(rms(speech))")
    }

    @Test func silenceIsNotBlownUp() {
        var random = SplitMix64(seed: 4)
        let noise = (0..<160_000).map { _ in Float.random(in: -0.001...0.001, using: &random) }
        #expect(rms(normalized(noise)) <= rms(noise) * 1.01)
        #expect(normalized([Float](repeating: 0, count: 16_000)).allSatisfy { $0 == 0 })
    }

    @Test func theGainIsBounded() {
        let quiet = voice(0.000_5, noise: 0.000_000_1)
        let target = AudioLevel.Normalizer.Target(maximumGain: Decibels(20))
        let gain = rms(normalized(quiet, target: target).suffix(16_000)) / rms(quiet.suffix(16_000))
        #expect(gain <= 10.01)
        #expect(gain > 9)
        let loud = voice(1)
        let least = AudioLevel.Normalizer.Target(level: Decibels(-80), minimumGain: Decibels(-6))
        let down = rms(normalized(loud, target: least).suffix(16_000)) / rms(loud.suffix(16_000))
        #expect(down > 0.49)
    }

    @Test func nothingGoesPastFullScaleAndWhatIsNoNumberIsSilence() {
        var samples = voice(0.002)
        samples += voice(1)
        samples[5_000] = .nan
        samples[5_001] = .infinity
        let result = normalized(samples)
        #expect(result.allSatisfy { abs($0) <= 1 })
        #expect(result[5_000] == 0 && result[5_001] == 0)
    }

    @Test(arguments: [1, 7, 160, 1_023])
    func howAudioIsCutMakesNoDifference(_ frames: Int) {
        let samples = voice(0.01)
        #expect(normalized(samples, cut: frames) == normalized(samples))
    }

    @Test func aTargetThatIsNoNumberIsTheStandardOne() {
        let paths: [WritableKeyPath<AudioLevel.Normalizer.Target, Decibels>] = [\.level, \.minimumGain, \.maximumGain]
        for path in paths {
            var target = AudioLevel.Normalizer.Target()
            target[keyPath: path].value = .nan
            var normalizer = AudioLevel.Normalizer(sampleRate: 16_000, target: target)
            var samples = voice(0.01)
            samples.withUnsafeMutableBufferPointer { normalizer.normalize($0) }
            #expect(samples == normalized(voice(0.01)))
        }
    }

    @Test(arguments: AudioFormat.SampleType.allCases)
    func anyInputCanBeLevelled(_ type: AudioFormat.SampleType) async throws {
        let format = AudioFormat(sampleRate: 16_000, channelCount: 2, sampleType: type)
        let samples = voice(0.01).flatMap { [$0, $0] }
        let buffers = stride(from: 0, to: samples.count, by: 3_200).map { index in
            AudioBuffer(
                rounding: samples[index..<(index + 3_200)].map(Double.init), to: format,
                start: .microseconds(index * 500 / 16))
        }
        var leveled: [AudioBuffer] = []
        for try await buffer in AudioInput(buffers).leveled() { leveled.append(buffer) }
        #expect(leveled.map(\.start) == buffers.map(\.start))
        #expect(leveled.allSatisfy { $0.format == format })
        let level = rms(leveled.suffix(20).flatMap(\.floatSamples).filter { abs($0) > 0.01 })
        #expect((0.07...0.16).contains(level))
    }
}
