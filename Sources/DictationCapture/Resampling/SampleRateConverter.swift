#if SampleRate
public import DictationCore

/// Converts audio from any rate, channel count and sample type to any other, with libsamplerate.
///
/// The filter looks ahead, so the output lags a little behind the input. ``flush()`` returns the rest. The whole output
/// then has as many frames as the input times the ratio of rates, rounded to the nearest frame.
public final class SampleRateConverter: FormatConverter {
    /// The format of the input.
    public let inputFormat: AudioFormat
    /// The format of the output.
    public let outputFormat: AudioFormat
    private let incoming: BasicConverter
    private let outgoing: BasicConverter
    private let resampler: Resampler?
    private var frames: ConvertedFrames

    /// Creates a converter.
    ///
    /// - Parameters:
    ///   - input: The format of the input.
    ///   - output: The format of the output.
    ///   - quality: The quality of resampling. It does not matter if both formats have the same rate.
    /// - Throws: `unsupportedFormat` if a format is invalid, or if the rates are too far apart.
    public init(from input: AudioFormat, to output: AudioFormat, quality: ResamplingQuality = .medium)
        throws(DictationError)
    {
        (inputFormat, outputFormat) = (input, output)
        frames = try ConvertedFrames(from: input, to: output)
        // Mixing the channels first saves work: resampling one channel costs half as much as resampling two.
        let channels = min(input.channelCount, output.channelCount)
        func float(_ rate: Int) -> AudioFormat {
            AudioFormat(sampleRate: rate, channelCount: channels, sampleType: .float32)
        }
        let resamples = input.sampleRate != output.sampleRate
        incoming = try BasicConverter(from: input, to: resamples ? float(input.sampleRate) : output)
        outgoing = try BasicConverter(from: resamples ? float(output.sampleRate) : output, to: output)
        resampler =
            resamples
            ? try Resampler(
                quality, channelCount: channels, from: input.sampleRate, to: output.sampleRate) : nil
    }

    /// Converts a buffer. The filter holds some of the audio back until a later call.
    ///
    /// - Parameter buffer: Audio in ``inputFormat``.
    /// - Returns: The audio that is ready, in ``outputFormat``.
    /// - Throws: A `DictationError` if the buffer has another format, or if libsamplerate fails.
    public func convert(_ buffer: AudioBuffer) throws(DictationError) -> AudioBuffer {
        try frames.take(buffer)
        let mixed = try incoming.convert(buffer)
        guard let resampler else { return frames.place(mixed) }
        return try finished(try resampler.process(mixed))
    }

    /// Ends the stream and returns the audio that the filter still holds. The converter can then start a new stream.
    ///
    /// - Throws: A `DictationError` if libsamplerate fails.
    public func flush() throws(DictationError) -> AudioBuffer {
        defer { frames.reset() }
        guard let resampler else { return frames.place(AudioBuffer(silence: 0, format: outputFormat)) }
        return try finished(try resampler.drain(exactly: frames.due))
    }

    private func finished(_ samples: [Float]) throws(DictationError) -> AudioBuffer {
        let channels = outgoing.inputFormat.channelCount
        return frames.place(
            try outgoing.convert(
                AudioBuffer(samples, sampleRate: outputFormat.sampleRate, channelCount: channels)))
    }
}

extension SampleRateConverter {
    /// Makes converters between any two rates. If both rates are equal, the conversion is exact.
    public struct Provider: FormatConverterProvider {
        /// The quality of the converters.
        public var quality: ResamplingQuality

        /// Creates a provider of converters of this quality.
        public init(quality: ResamplingQuality = .medium) { self.quality = quality }

        /// Makes a converter between two formats.
        ///
        /// - Parameters:
        ///   - input: The format of the input.
        ///   - output: The format of the output.
        /// - Throws: `unsupportedFormat` if a format is invalid, or if the rates are too far apart.
        public func makeConverter(from input: AudioFormat, to output: AudioFormat) throws(DictationError)
            -> any FormatConverter
        {
            try SampleRateConverter(from: input, to: output, quality: quality)
        }
    }
}
#else
public import DictationCore

/// Converts audio from any rate, channel count and sample type to any other.
@available(*, unavailable, message: "Enable the “SampleRate” trait of swift-dictation.")
public final class SampleRateConverter {
    /// Makes a converter, in a build with the trait.
    public init(from input: AudioFormat, to output: AudioFormat, quality: ResamplingQuality = .medium)
        throws(DictationError)
    {}

    /// Makes converters between any two rates.
    @available(*, unavailable, message: "Enable the “SampleRate” trait of swift-dictation.")
    public struct Provider: FormatConverterProvider {
        /// Makes the converters, in a build with the trait.
        public init(quality: ResamplingQuality = .medium) {}
        /// Unavailable in this build.
        public func makeConverter(
            from input: AudioFormat, to output: AudioFormat
        ) throws(DictationError) -> any FormatConverter {
            throw .notBuilt("SampleRate")
        }
    }
}
#endif

// A converter holds the state of one stream, so it can't be shared.
@available(*, unavailable) extension SampleRateConverter: Sendable {}
