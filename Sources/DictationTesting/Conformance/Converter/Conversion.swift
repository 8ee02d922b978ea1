public import DictationCore

/// A pair of formats that a converter turns one into the other.
public struct Conversion: Sendable, Hashable, CustomStringConvertible {
    /// What goes in.
    public var input: AudioFormat
    /// What comes out.
    public var output: AudioFormat

    /// Makes a conversion.
    public init(from input: AudioFormat, to output: AudioFormat = .speech) {
        self.input = input
        self.output = output
    }

    /// Both formats.
    public var description: String { "\(input) to \(output)" }

    /// What needs no resampler: every sample type to every other, channels joined and split.
    public static let sameRate: [Conversion] = {
        let types = AudioFormat.SampleType.allCases
        let pairs = types.flatMap { input in
            types.map { output in
                Conversion(
                    from: AudioFormat(sampleRate: 16_000, sampleType: input),
                    to: AudioFormat(sampleRate: 16_000, sampleType: output))
            }
        }
        let channels = [(1, 2), (2, 1), (2, 2), (6, 1)].map { input, output in
            Conversion(
                from: AudioFormat(sampleRate: 48_000, channelCount: input, sampleType: .float32),
                to: AudioFormat(sampleRate: 48_000, channelCount: output))
        }
        return pairs + channels
    }()

    /// From the rates that devices have to the one that engines take, and from each sample type.
    public static let toSpeech: [Conversion] =
        [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000].map {
            Conversion(from: AudioFormat(sampleRate: $0, channelCount: 2))
        }
        + AudioFormat.SampleType.allCases.map {
            Conversion(from: AudioFormat(sampleRate: 48_000, sampleType: $0))
        }
}
