import CSampleRate
import DictationCapture
import DictationCore
import DictationTesting
import Foundation
import Synchronization
import Testing

private func mono(_ rate: Int) -> AudioFormat {
    AudioFormat(sampleRate: rate, channelCount: 1, sampleType: .float32)
}

/// A sine whose frequency runs from one to another.
private func chirp(
    _ rate: Int, from low: Double, to high: Double, seconds: Double, over whole: Double? = nil, at start: Double = 0
)
    -> [Float]
{
    let slope = (high - low) / (whole ?? seconds)
    return (0..<Int((seconds * Double(rate)).rounded())).map { index in
        let time = start + Double(index) / Double(rate)
        return Float(0.5 * sin(2 * .pi * (low * time + slope * time * time / 2)))
    }
}

/// How far the difference lies below the wanted signal.
private func signalToNoise(_ wanted: ArraySlice<Float>, _ got: ArraySlice<Float>) -> Double {
    var signal = 0.0
    var noise = 0.0
    for (a, b) in zip(wanted, got) {
        signal += Double(a) * Double(a)
        noise += Double(a - b) * Double(a - b)
    }
    return 10 * log10(signal / max(noise, 1e-30))
}

/// Converts samples cut into buffers by a closure.
private func convert(
    _ samples: [Float], _ converter: some FormatConverter, cut: (Int) -> Int = { _ in 4_800 }
) throws -> [Float] {
    var converter: any FormatConverter = converter
    let channels = converter.inputFormat.channelCount
    let whole = AudioBuffer(samples, sampleRate: converter.inputFormat.sampleRate, channelCount: channels)
    var output: [Float] = []
    var next = 0
    while next < whole.frameCount {
        let count = max(1, cut(next))
        let piece = try converter.convert(whole.slice(next..<min(whole.frameCount, next + count)))
        #expect(piece.start == converter.outputFormat.duration(ofFrames: Int64(output.count / channels)))
        output += piece.floatSamples
        next += count
    }
    return output + (try converter.flush().floatSamples)
}

@Suite struct SampleRateConverterTests {
    static let rates = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000]

    @Test(arguments: ResamplingQuality.allCases, [(48_000, 16_000), (44_100, 16_000), (8_000, 16_000)])
    func theCutOfTheInputDoesNotChangeTheOutput(_ quality: ResamplingQuality, _ rates: (Int, Int)) throws {
        let samples = chirp(rates.0, from: 50, to: 3_500, seconds: 0.5)
        let format = (mono(rates.0), mono(rates.1))
        let whole = try convert(samples, try SampleRateConverter(from: format.0, to: format.1, quality: quality)) { _ in
            .max / 2
        }
        var random = SplitMix64(seed: 4)
        for cut in [1, 7, 480, 0] {
            let converter = try SampleRateConverter(from: format.0, to: format.1, quality: quality)
            let pieces = try convert(samples, converter) { _ in
                cut > 0 ? cut : Int.random(in: 1...2_000, using: &random)
            }
            #expect(pieces == whole)
        }
    }

    @Test(arguments: ResamplingQuality.allCases, [(48_000, 16_000), (44_100, 16_000), (8_000, 16_000)])
    func theSamplesAreThoseOfTheLibraryItself(_ quality: ResamplingQuality, _ rates: (Int, Int)) throws {
        let samples = chirp(rates.0, from: 50, to: 3_500, seconds: 1)
        var expected = [Float](repeating: 0, count: rates.1 + 1_000)
        var data = SRC_DATA()
        data.src_ratio = Double(rates.1) / Double(rates.0)
        data.input_frames = samples.count
        data.output_frames = expected.count
        data.end_of_input = 1
        let type = [
            ResamplingQuality.best: SRC_SINC_BEST_QUALITY, .medium: SRC_SINC_MEDIUM_QUALITY, .fast: SRC_SINC_FASTEST,
        ]
        let code = samples.withUnsafeBufferPointer { input in
            expected.withUnsafeMutableBufferPointer { output in
                data.data_in = input.baseAddress
                data.data_out = output.baseAddress
                return src_simple(&data, Int32(type[quality]!), 1)
            }
        }
        #expect(code == 0)
        let got = try convert(
            samples, try SampleRateConverter(from: mono(rates.0), to: mono(rates.1), quality: quality))
        let common = min(data.output_frames_gen, got.count)
        #expect(common >= rates.1 - 1)
        #expect(Array(got[..<common]) == Array(expected[..<common]))
    }

    @Test(arguments: [(ResamplingQuality.best, 120.0), (.medium, 105.0), (.fast, 85.0)])
    func aSweptSineKeepsItsDistanceFromNoise(_ quality: ResamplingQuality, _ least: Double) throws {
        for rate in Self.rates where rate != 16_000 {
            for (input, output) in [(rate, 16_000), (16_000, rate)] {
                // The fast filter begins to fall at two thirds of what the lower rate can carry.
                let high = Double(min(input, output)) / 2 * (quality == .fast ? 0.55 : 0.75)
                let samples = chirp(input, from: 100, to: high, seconds: 0.5)
                let wanted = chirp(output, from: 100, to: high, seconds: 0.5)
                let got = try convert(
                    samples, try SampleRateConverter(from: mono(input), to: mono(output), quality: quality))
                let inner = output / 20..<min(wanted.count, got.count) - output / 20
                let distance = signalToNoise(wanted[inner], got[inner])
                print("resampling \(quality.rawValue) from \(input) Hz to \(output) Hz: \(Int(distance)) dB")
                #expect(distance > least)
            }
        }
    }

    @Test func aChirpRunsOnAcrossAChangeOfFormat() async throws {
        let first = chirp(48_000, from: 200, to: 3_000, seconds: 1, over: 2)
        let second = chirp(44_100, from: 200, to: 3_000, seconds: 1, over: 2, at: 1)
        let wanted = chirp(16_000, from: 200, to: 3_000, seconds: 2)
        // One stream whose format changes, as a session has it when the device does.
        var buffers: [AudioBuffer] = []
        for (samples, rate, start) in [(first, 48_000, Duration.zero), (second, 44_100, .seconds(1))] {
            let whole = AudioBuffer(samples, sampleRate: rate, channelCount: 1, start: start)
            for frame in stride(from: 0, to: whole.frameCount, by: 1_000) {
                buffers.append(whole.slice(frame..<min(whole.frameCount, frame + 1_000)))
            }
        }
        let input = AudioInput(converting: AudioInput(buffers), to: mono(16_000), by: SampleRateConverter.Provider())
        var got: [Float] = []
        for try await buffer in input {
            #expect(buffer.start == mono(16_000).duration(ofFrames: Int64(got.count)))
            got += buffer.floatSamples
        }
        #expect(got.count == wanted.count)
        // At the seam each filter sees silence on the other side; 10 ms away there is no trace of it.
        for clean in [200..<15_840, 16_160..<31_800] {
            #expect(signalToNoise(wanted[clean], got[clean]) > 60)
        }
        let seam = zip(wanted[15_840..<16_160], got[15_840..<16_160]).map { abs($0 - $1) }
        let off = seam.indices.filter { seam[$0] > 0.001 }
        let length = (off.last ?? 0) - (off.first ?? 0) + 1
        print("seam: off by \(seam.max() ?? -1) of 0.5 at most, by more than 0.001 for \(length) samples")
        #expect(seam.allSatisfy { $0 < 0.05 } && length <= 32)
    }

    @Test func anyFormatGoesIn() throws {
        for type in AudioFormat.SampleType.allCases {
            for channels in [1, 2, 6] {
                let input = AudioFormat(sampleRate: 48_000, channelCount: channels, sampleType: type)
                let tone = chirp(48_000, from: 440, to: 440, seconds: 0.5)
                let spread = tone.flatMap { sample in [Float](repeating: sample, count: channels) }
                let raw = AudioBuffer(spread, sampleRate: 48_000, channelCount: channels)
                let buffer = try BasicConverter(from: raw.format, to: input).convert(raw)
                let converter = try SampleRateConverter(from: input, to: .speech)
                let early = try converter.convert(buffer).floatSamples
                let got = try early + converter.flush().floatSamples
                let wanted = chirp(16_000, from: 440, to: 440, seconds: 0.5)
                #expect(signalToNoise(wanted[500..<7_500], got[500..<7_500]) > 60)
            }
        }
    }

    @Test func afterAFlushItIsAsNew() throws {
        let samples = chirp(48_000, from: 100, to: 4_000, seconds: 0.3)
        let converter = try SampleRateConverter(from: mono(48_000), to: mono(16_000))
        let first = try convert(samples, converter)
        #expect(try convert(samples, converter) == first)
    }

    @Test func notANumberDoesNotStay() throws {
        var samples = chirp(48_000, from: 440, to: 440, seconds: 0.5)
        samples[5_000] = .nan
        samples[6_000] = .infinity
        let got = try convert(samples, try SampleRateConverter(from: mono(48_000), to: mono(16_000)))
        #expect(got.allSatisfy { $0.isFinite })
    }

    @Test func whatCannotBeConvertedSaysWhy() throws {
        #expect { try SampleRateConverter(from: mono(768_000), to: mono(1_000)) } throws: {
            ($0 as? DictationError)?.recovery?.contains("256") == true
        }
        let converter = try SampleRateConverter.Provider().makeConverter(from: mono(48_000), to: .speech)
        var copy = converter
        #expect { try copy.convert(AudioBuffer([0] as [Int16])) } throws: {
            ($0 as? DictationError)?.code == .unsupportedFormat
        }
    }
}

extension SampleRateConverterTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        @Test(arguments: rates, rates) func everyPairOfRatesAddsUpToTheFrame(_ input: Int, _ output: Int) throws {
            for frames in [0, 1, 2, 777, 10_000] {
                let converter = try SampleRateConverter(from: mono(input), to: mono(output), quality: .fast)
                let samples = chirp(input, from: 100, to: 1_000, seconds: 1)
                let out = try convert(
                    Array(samples.prefix(frames)) + [Float](repeating: 0, count: max(0, frames - samples.count)),
                    converter)
                #expect(
                    out.count
                        == Int((Double(frames) * Double(output) / Double(input)).rounded(.toNearestOrAwayFromZero)))
            }
        }
    }
}
