/// Turns audio from one format into another, as a stream.
///
/// - **Choose** `SampleRateConverters` (libsamplerate) for any rate, `BasicConverters` where the rate stays the same.
/// - **Use** it through `DictationSession`; or give it buffers in order, then `flush()`.
/// - **Implement** it for another resampler; check it with `ConverterConformance` from DictationTesting.
///
/// What a converter promises:
/// 1. the same samples come out however the input is cut into buffers;
/// 2. frames are accounted for: after `flush()` the output has the input's frames times the ratio of rates, to the nearest;
/// 3. output times follow from the first input's time and the frames given out;
/// 4. a buffer of another format than `inputFormat` throws; samples are never reinterpreted;
/// 5. after `flush()` the converter is as new;
/// 6. the sound stays what it was, on every channel; samples that are no number harm nothing but themselves.
///
/// `ConverterClause` in DictationTesting has these promises one by one.
public protocol FormatConverter {
    /// What goes in.
    var inputFormat: AudioFormat { get }
    /// What comes out.
    var outputFormat: AudioFormat { get }
    /// Converts a buffer; the answer may be shorter or empty while the converter looks ahead.
    mutating func convert(_ buffer: AudioBuffer) throws(DictationError) -> AudioBuffer
    /// Ends the stream and gives what the converter still holds.
    mutating func flush() throws(DictationError) -> AudioBuffer
}

/// Makes converters; the one thing that a session needs to know of them.
public protocol FormatConverterProvider: Sendable {
    /// Makes a converter, or says why it can't.
    func makeConverter(from input: AudioFormat, to output: AudioFormat) throws(DictationError) -> any FormatConverter
}
