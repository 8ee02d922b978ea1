#if SampleRate
public import DictationCore

/// Converts audio from any rate, channel count and sample type to another, by libsamplerate.
///
/// The filter looks ahead, so output comes a little after its input; `flush()` gives the rest, and then the output
/// has the input's frames times the ratio of rates, to the nearest frame.
public final class SampleRateConverter: FormatConverter {
    /// What goes in.
    public let inputFormat: AudioFormat
    /// What comes out.
    public let outputFormat: AudioFormat
    private let incoming: BasicConverter
    private let outgoing: BasicConverter
    private let resampler: Resampler?
    private var start: Duration?
    private var framesIn: Int64 = 0
    private var framesOut: Int64 = 0

    /// Makes a converter.
    public init(from input: AudioFormat, to output: AudioFormat, quality: ResamplingQuality = .medium)
        throws(DictationError)
    {
        inputFormat = try input.validated()
        outputFormat = try output.validated()
        // Channels are mixed first: a resampler of one channel has half the work of one of two.
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

    /// Converts a buffer; what comes out is shorter by what the filter looks ahead.
    public func convert(_ buffer: AudioBuffer) throws(DictationError) -> AudioBuffer {
        try checkInput(buffer)
        let first = start ?? buffer.start
        start = first
        let mixed = try incoming.convert(buffer)
        framesIn += Int64(buffer.frameCount)
        guard let resampler else { return placed(mixed) }
        return try finished(try resampler.process(mixed.floatSamples))
    }

    /// Ends the stream and gives what the filter still holds; then the converter is as new.
    public func flush() throws(DictationError) -> AudioBuffer {
        defer {
            start = nil
            framesIn = 0
            framesOut = 0
        }
        guard let resampler else { return AudioBuffer(silence: 0, format: outputFormat, start: start ?? .zero) }
        let missing = Int(clamping: framesExpected - framesOut)
        return try finished(try resampler.drain(exactly: max(0, missing)))
    }

    /// The frames that make the output as long as the input, to the nearest.
    private var framesExpected: Int64 {
        let (rateIn, rateOut) = (Int128(inputFormat.sampleRate), Int128(outputFormat.sampleRate))
        return Int64(clamping: (Int128(framesIn) * rateOut * 2 + rateIn) / (rateIn * 2))
    }

    private func finished(_ samples: [Float]) throws(DictationError) -> AudioBuffer {
        let channels = outgoing.inputFormat.channelCount
        return placed(
            try outgoing.convert(
                AudioBuffer(samples, sampleRate: outputFormat.sampleRate, channelCount: channels)))
    }

    private func placed(_ buffer: AudioBuffer) -> AudioBuffer {
        let time = (start ?? .zero) + outputFormat.duration(ofFrames: framesOut)
        framesOut += Int64(buffer.frameCount)
        return buffer.moved(to: time)
    }
}

/// Makes converters for any rate; where the rate stays the same they are exact.
public struct SampleRateConverters: FormatConverterProvider {
    /// How much care the converters take.
    public var quality: ResamplingQuality

    /// Makes the provider.
    public init(quality: ResamplingQuality = .medium) { self.quality = quality }

    /// Makes a converter, or says why it can't.
    public func makeConverter(from input: AudioFormat, to output: AudioFormat) throws(DictationError)
        -> any FormatConverter
    {
        try SampleRateConverter(from: input, to: output, quality: quality)
    }
}
#else
public import DictationCore
/// Converts audio from any rate, channel count and sample type to another.
@available(*, unavailable, message: "Enable the 'SampleRate' trait")
public final class SampleRateConverter {
    /// Makes a converter, in a build with the trait.
    public init(from input: AudioFormat, to output: AudioFormat, quality: ResamplingQuality = .medium)
        throws(DictationError)
    {}
}

/// Makes converters for any rate.
@available(*, unavailable, message: "Enable the 'SampleRate' trait")
public struct SampleRateConverters: Sendable {
    /// Makes the converters, in a build with the trait.
    public init(quality: ResamplingQuality = .medium) {}
}
#endif

// It has the state of one stream.
@available(*, unavailable) extension SampleRateConverter: Sendable {}
