public import DictationCore

extension ConverterConformance {
    /// A conversion from one audio format to another.
    public struct Conversion: Sendable, Hashable, CustomStringConvertible {
        /// The format of the input.
        public var input: AudioFormat
        /// The format of the output.
        public var output: AudioFormat

        /// Creates a conversion.
        public init(from input: AudioFormat, to output: AudioFormat = .speech) {
            self.input = input
            self.output = output
        }

        /// Both formats.
        public var description: String { "\(input) to \(output)" }

        /// Conversions without a change of rate: from each sample type to each, and with joined and split channels.
        public static let sameRate: [ConverterConformance.Conversion] = {
            let types = AudioFormat.SampleType.allCases
            let pairs = types.flatMap { input in
                types.map { output in
                    ConverterConformance.Conversion(
                        from: AudioFormat(sampleRate: 16_000, sampleType: input),
                        to: AudioFormat(sampleRate: 16_000, sampleType: output))
                }
            }
            let channels = [(1, 2), (2, 1), (2, 2), (6, 1)].map { input, output in
                ConverterConformance.Conversion(
                    from: AudioFormat(sampleRate: 48_000, channelCount: input, sampleType: .float32),
                    to: AudioFormat(sampleRate: 48_000, channelCount: output))
            }
            return pairs + channels
        }()

        /// Conversions to the format that engines take, from the rates of devices and from each sample type.
        public static let toSpeech: [ConverterConformance.Conversion] =
            [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000].map {
                ConverterConformance.Conversion(from: AudioFormat(sampleRate: $0, channelCount: 2))
            }
            + AudioFormat.SampleType.allCases.map {
                ConverterConformance.Conversion(from: AudioFormat(sampleRate: 48_000, sampleType: $0))
            }
    }
}
