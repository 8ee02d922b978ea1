import DictationCore
import Foundation
import Testing

@Suite struct BasicConverterTests {
    private static let types = AudioFormat.SampleType.allCases

    private func convert(_ buffer: AudioBuffer, to format: AudioFormat) throws -> AudioBuffer {
        try BasicConverter(from: buffer.format, to: format).convert(buffer)
    }

    @Test(arguments: types) func sixteenBitsSurviveEveryType(_ type: AudioFormat.SampleType) throws {
        let samples = Array(stride(from: Int16.min, through: Int16.max - 1, by: 13))
        let wide = try convert(
            AudioBuffer(samples), to: AudioFormat(sampleRate: 16_000, channelCount: 1, sampleType: type))
        #expect(try convert(wide, to: .speech).int16Samples == samples)
    }

    @Test func channelsAreAveragedAndCopied() throws {
        let stereo = AudioBuffer([1_000, 3_000, -5, -7] as [Int16], channelCount: 2, start: .seconds(3))
        let mono = try convert(stereo, to: .speech)
        #expect(mono.int16Samples == [2_000, -6])
        #expect(mono.start == .seconds(3))
        let three = try convert(mono, to: AudioFormat(sampleRate: 16_000, channelCount: 3))
        #expect(three.int16Samples == [2_000, 2_000, 2_000, -6, -6, -6])
        let quad = AudioBuffer([1, 2, 3, 4] as [Int16], channelCount: 4)
        #expect(try convert(quad, to: AudioFormat(sampleRate: 16_000, channelCount: 2)).int16Samples == [2, 3])
    }

    @Test func channelsThatCancelEachOtherStay() throws {
        let left = (0..<1_000).map { Int16(8_000 * sin(Double($0) / 10)) }
        func mixed(_ right: [Int16]) throws -> [Int16] {
            let frames = zip(left, right).flatMap { [$0, $1] }
            return try convert(AudioBuffer(frames, channelCount: 2), to: .speech).int16Samples
        }
        #expect(try mixed(left.map { -$0 }) == left)
        #expect(try mixed(left) == left)
        let quiet = left.map { $0 / 2 }
        #expect(try mixed(quiet.map { -$0 }).max() ?? 0 > 5_000, "One wire is quieter.")
        // A person on each side.
        let other = (0..<1_000).map { Int16(8_000 * sin(Double($0) / 7)) }
        #expect(try mixed(other) == zip(left, other).map { Int16(((Double($0) + Double($1)) / 2).rounded()) })
    }

    @Test func whatIsTooLoudIsClippedAndNotANumberIsSilent() throws {
        let wild = AudioBuffer([2, -2, .nan, .infinity, -.infinity, 1] as [Float])
        let calm = try convert(wild, to: .speech).int16Samples
        #expect(calm == [32_767, -32_768, 0, 32_767, -32_768, 32_767])
        for type in [AudioFormat.SampleType.int24, .int32] {
            let format = AudioFormat(sampleRate: 16_000, channelCount: 1, sampleType: type)
            #expect(try convert(wild, to: format).floatSamples.allSatisfy { abs($0) <= 1 })
        }
    }

    @Test func anotherRateNamesTheTrait() throws {
        #expect {
            try BasicConverter.Provider().makeConverter(from: AudioFormat(sampleRate: 48_000), to: .speech)
        } throws: {
            let error = $0 as? DictationError
            return error?.code == .unsupportedFormat && error?.recovery?.contains("SampleRate") == true
        }
    }

    @Test func anotherFormatIsRefused() throws {
        let converter = try BasicConverter(from: .speech, to: .speech)
        #expect { try converter.convert(AudioBuffer([0] as [Float])) } throws: {
            ($0 as? DictationError)?.code == .unsupportedFormat
        }
        #expect(throws: DictationError.self) {
            try BasicConverter(from: AudioFormat(sampleRate: 16_000, channelCount: 0), to: .speech)
        }
    }
}
