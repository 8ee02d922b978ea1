/// Converts sample types and channel counts where the rate stays the same; exact, with no look-ahead.
///
/// Fewer channels come out as averages, more as copies: output channel *c* is made of the input channels that leave
/// the remainder *c*. Integers are rounded to the nearest and clipped.
public struct BasicConverter: FormatConverter, Sendable {
    /// What goes in.
    public let inputFormat: AudioFormat
    /// What comes out.
    public let outputFormat: AudioFormat

    /// Makes a converter; throws when the rates differ, since that takes a resampler.
    public init(from input: AudioFormat, to output: AudioFormat) throws(DictationError) {
        inputFormat = try input.validated()
        outputFormat = try output.validated()
        guard input.sampleRate == output.sampleRate else {
            throw DictationError(
                .unsupportedFormat, "Audio at \(input.sampleRate) Hz can't become \(output.sampleRate) Hz.",
                recovery: "Enable the “SampleRate” trait and use SampleRateConverters.")
        }
    }

    /// Converts a buffer, which comes out at the same time with the same number of frames.
    public func convert(_ buffer: AudioBuffer) throws(DictationError) -> AudioBuffer {
        try checkInput(buffer)
        return inputFormat == outputFormat ? buffer : remix(buffer)
    }

    /// Gives nothing: nothing is ever held back.
    public func flush() throws(DictationError) -> AudioBuffer { AudioBuffer(silence: 0, format: outputFormat) }

    private func remix(_ buffer: AudioBuffer) -> AudioBuffer {
        let (channels, outputs) = (inputFormat.channelCount, outputFormat.channelCount)
        let (inputType, outputType) = (inputFormat.sampleType, outputFormat.sampleType)
        return AudioBuffer(format: outputFormat, start: buffer.start, frameCount: buffer.frameCount) { out in
            buffer.withUnsafeBytes { bytes in
                for frame in 0..<buffer.frameCount {
                    for output in 0..<outputs {
                        var sum = 0.0
                        var count = 0
                        for channel in stride(from: output % channels, to: channels, by: outputs) {
                            sum += inputType.load(from: bytes, at: frame * channels + channel)
                            count += 1
                        }
                        outputType.store(sum / Double(count), into: out, at: frame * outputs + output)
                    }
                }
            }
        }
    }
}

/// Makes converters that keep the rate; what is used when no resampler is there.
public struct BasicConverters: FormatConverterProvider {
    /// Makes the provider.
    public init() {}

    /// Makes a converter, or says that the rates differ.
    public func makeConverter(from input: AudioFormat, to output: AudioFormat) throws(DictationError)
        -> any FormatConverter
    {
        try BasicConverter(from: input, to: output)
    }
}

extension FormatConverter {
    /// Throws when a buffer is not of the converter's input format.
    package func checkInput(_ buffer: AudioBuffer) throws(DictationError) {
        guard buffer.format == inputFormat else {
            throw DictationError(
                .unsupportedFormat, "The converter takes \(inputFormat) and was given \(buffer.format).",
                recovery: "Make a new converter when the format changes.")
        }
    }
}
