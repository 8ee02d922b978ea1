/// The frames of a stream in a ``FormatConverter`` that changes the rate: how many are due, and where each buffer belongs.
///
///     let input = AudioFormat(sampleRate: 48_000)
///     var frames = try ConvertedFrames(from: input, to: .speech)
///     try frames.take(AudioBuffer(silence: 480, format: input))
///     let buffer = frames.place(AudioBuffer(silence: 100, format: .speech))
///     print(buffer.start, frames.due)
///
/// At the end of a stream, ``due`` is the number of frames that the resampler still owes.
public struct ConvertedFrames: Sendable {
    private let input: AudioFormat
    private let output: AudioFormat
    private var start: Duration?
    private var taken: Int64 = 0
    private var given: Int64 = 0

    /// Creates the account of a stream.
    ///
    /// - Throws: `unsupportedFormat` for a format that audio can't have.
    public init(from input: AudioFormat, to output: AudioFormat) throws(DictationError) {
        (self.input, self.output) = (try input.validated(), try output.validated())
    }

    /// Takes the next buffer of the input into account.
    ///
    /// - Throws: `unsupportedFormat` if it is not in the input's format.
    public mutating func take(_ buffer: AudioBuffer) throws(DictationError) {
        try buffer.check(is: input)
        start = start ?? buffer.start
        taken += Int64(buffer.frameCount)
    }

    /// The number of frames that last as long as the input so far, rounded to the nearest, without those that were given.
    public var due: Int {
        let (rateIn, rateOut) = (Int128(input.sampleRate), Int128(output.sampleRate))
        let all = Int64(clamping: (Int128(taken) * rateOut * 2 + rateIn) / (rateIn * 2))
        return max(0, Int(clamping: all - given))
    }

    /// Returns the next buffer of the output with its time, and counts its frames as given.
    public mutating func place(_ buffer: AudioBuffer) -> AudioBuffer {
        defer { given += Int64(buffer.frameCount) }
        return buffer.moved(to: (start ?? .zero) + output.duration(ofFrames: given))
    }

    /// Ends the stream, so that another one may begin.
    public mutating func reset() { (start, taken, given) = (nil, 0, 0) }
}

extension AudioBuffer {
    /// Throws if the buffer is not in the format that a converter takes.
    func check(is format: AudioFormat) throws(DictationError) {
        guard self.format == format else {
            throw DictationError(
                .unsupportedFormat, "The converter takes \(format) and was given \(self.format).",
                recovery: "Make a new converter when the format changes.")
        }
    }
}
