/// Converts sample types and channel counts, but not rates. It adds no delay.
///
/// Fewer output channels are averages of input channels; more are copies. The input channels are dealt out to the
/// output channels in turn. Integers are rounded to the nearest and clipped.
public struct BasicConverter: FormatConverter, Sendable {
    /// The format of the input.
    public let inputFormat: AudioFormat
    /// The format of the output.
    public let outputFormat: AudioFormat

    /// Creates a converter.
    ///
    /// - Throws: ``DictationError/Code/unsupportedFormat`` if the rates differ, or for a format that audio can't have.
    public init(from input: AudioFormat, to output: AudioFormat) throws(DictationError) {
        inputFormat = try input.validated()
        outputFormat = try output.validated()
        guard input.sampleRate == output.sampleRate else {
            throw DictationError(
                .unsupportedFormat, "Audio at \(input.sampleRate) Hz can't become \(output.sampleRate) Hz.",
                recovery: "Enable the “SampleRate” trait and use SampleRateConverters.")
        }
    }

    /// Converts a buffer. The output has the same time and the same number of frames.
    public func convert(_ buffer: AudioBuffer) throws(DictationError) -> AudioBuffer {
        try checkInput(buffer)
        return inputFormat == outputFormat ? buffer : remix(buffer)
    }

    /// Returns an empty buffer, because this converter holds nothing back.
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

/// Creates converters that keep the rate, for builds without a resampler.
public struct BasicConverters: FormatConverterProvider {
    /// Creates the provider.
    public init() {}

    /// Creates a converter. Throws if the rates differ.
    public func makeConverter(from input: AudioFormat, to output: AudioFormat) throws(DictationError)
        -> any FormatConverter
    {
        try BasicConverter(from: input, to: output)
    }
}

extension FormatConverter {
    /// Throws if a buffer is not in the converter's input format.
    package func checkInput(_ buffer: AudioBuffer) throws(DictationError) {
        guard buffer.format == inputFormat else {
            throw DictationError(
                .unsupportedFormat, "The converter takes \(inputFormat) and was given \(buffer.format).",
                recovery: "Make a new converter when the format changes.")
        }
    }
}
