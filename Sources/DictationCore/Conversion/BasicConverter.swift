/// Converts sample types and channel counts, but not rates. It adds no delay.
///
/// Fewer output channels are averages of input channels; more are copies. If the two channels of a buffer cancel each
/// other, one is inverted first. The input channels are dealt out to the
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
                recovery: "Enable the “SampleRate” trait of swift-dictation and use SampleRateConverter.Provider.")
        }
    }

    /// Converts a buffer. The output has the same time and the same number of frames.
    public func convert(_ buffer: AudioBuffer) throws(DictationError) -> AudioBuffer {
        try buffer.check(is: inputFormat)
        return inputFormat == outputFormat ? buffer : remix(buffer)
    }

    /// Returns an empty buffer, because this converter holds nothing back.
    public func flush() throws(DictationError) -> AudioBuffer { AudioBuffer(silence: 0, format: outputFormat) }

    private func remix(_ buffer: AudioBuffer) -> AudioBuffer {
        AudioBuffer(format: outputFormat, start: buffer.start, frameCount: buffer.frameCount) { out in
            buffer.withUnsafeBytes { bytes in
                switch inputFormat.sampleType {
                case .int16: remix(bytes, of: Int16.self, into: out)
                case .int32: remix(bytes, of: Int32.self, into: out)
                case .float32: remix(bytes, of: Float.self, into: out)
                case .float64: remix(bytes, of: Double.self, into: out)
                case .int24: remixPacked(bytes, into: out)
                }
            }
        }
    }

    private func remix<In: Sample>(
        _ bytes: UnsafeRawBufferPointer, of type: In.Type, into out: UnsafeMutableRawBufferPointer
    ) {
        bytes.withMemoryRebound(to: In.self) { samples in
            switch outputFormat.sampleType {
            case .int16: out.withMemoryRebound(to: Int16.self) { remix(samples, into: $0) }
            case .int32: out.withMemoryRebound(to: Int32.self) { remix(samples, into: $0) }
            case .float32: out.withMemoryRebound(to: Float.self) { remix(samples, into: $0) }
            case .float64: out.withMemoryRebound(to: Double.self) { remix(samples, into: $0) }
            case .int24: remixPacked(bytes, into: out)
            }
        }
    }

    /// Mixes samples of types that the compiler knows, which is many times as fast.
    private func remix<In: Sample, Out: Sample>(
        _ samples: UnsafeBufferPointer<In>, into out: UnsafeMutableBufferPointer<Out>
    ) {
        let (channels, outputs) = (inputFormat.channelCount, outputFormat.channelCount)
        if channels == outputs {
            for index in out.indices { out[index] = Out(fullScale: samples[index].fullScale) }
        } else if channels == 2, outputs == 1 {
            let sign = cancel(samples) ? -1.0 : 1
            for frame in out.indices {
                let sum = samples[2 * frame].fullScale + sign * samples[2 * frame + 1].fullScale
                out[frame] = Out(fullScale: sum / 2)
            }
        } else {
            remix(into: { out[$1] = Out(fullScale: $0) }, count: out.count / outputs) { samples[$0].fullScale }
        }
    }

    /// Whether almost nothing is left of the sum of two channels, because one is the other upside down. So it is with the two
    /// wires of a balanced line.
    private func cancel<In: Sample>(_ samples: UnsafeBufferPointer<In>) -> Bool {
        // A few frames tell nothing.
        guard samples.count >= 128 else { return false }
        var (cross, lefts, rights) = (0.0, 0.0, 0.0)
        for frame in 0..<samples.count / 2 {
            let (left, right) = (samples[2 * frame].fullScale, samples[2 * frame + 1].fullScale)
            cross += left * right
            lefts += left * left
            rights += right * right
        }
        return cross < 0 && cross * cross > 0.81 * lefts * rights
    }

    /// Mixes samples of any type, also of those that are packed in three bytes.
    private func remixPacked(_ bytes: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer) {
        let (inputType, outputType) = (inputFormat.sampleType, outputFormat.sampleType)
        remix(
            into: { outputType.store($0, into: out, at: $1) }, count: out.count / max(1, outputFormat.bytesPerFrame)
        ) { inputType.load(from: bytes, at: $0) }
    }

    @inline(__always)
    private func remix(into store: (Double, Int) -> Void, count: Int, from load: (Int) -> Double) {
        let (channels, outputs) = (inputFormat.channelCount, outputFormat.channelCount)
        for frame in 0..<count {
            for output in 0..<outputs {
                var sum = 0.0
                var mixed = 0
                for channel in stride(from: output % channels, to: channels, by: outputs) {
                    sum += load(frame * channels + channel)
                    mixed += 1
                }
                store(sum / Double(mixed), frame * outputs + output)
            }
        }
    }
}

/// A sample of a type that Swift has. Full scale is ±1.
private protocol Sample: BitwiseCopyable {
    var fullScale: Double { get }
    /// Creates the nearest sample. Integers are clipped, and NaN becomes zero in them.
    init(fullScale: Double)
}

extension Int16: Sample {
    fileprivate var fullScale: Double { Double(self) / 32_768 }
    fileprivate init(fullScale value: Double) { self = Int16(truncatingIfNeeded: Int32(rounding: value, to: 32_768)) }
}

extension Int32: Sample {
    fileprivate var fullScale: Double { Double(self) / 2_147_483_648 }
    fileprivate init(fullScale value: Double) { self.init(rounding: value, to: 2_147_483_648) }

    /// Rounds half away from zero, with no call of the C library.
    fileprivate init(rounding value: Double, to fullScale: Double) {
        let scaled = Swift.max(-fullScale, Swift.min(fullScale - 1, value * fullScale))
        self = value.isNaN ? 0 : Int32(scaled + (scaled < 0 ? -0.5 : 0.5))
    }
}

extension Float: Sample {
    fileprivate var fullScale: Double { Double(self) }
    fileprivate init(fullScale value: Double) { self.init(value) }
}

extension Double: Sample {
    fileprivate var fullScale: Double { self }
    fileprivate init(fullScale value: Double) { self = value }
}

extension BasicConverter {
    /// Creates converters that keep the rate, for builds without a resampler.
    public struct Provider: FormatConverterProvider {
        /// Creates the provider.
        public init() {}

        /// Creates a converter. Throws if the rates differ.
        public func makeConverter(from input: AudioFormat, to output: AudioFormat) throws(DictationError)
            -> any FormatConverter
        {
            try BasicConverter(from: input, to: output)
        }
    }
}
