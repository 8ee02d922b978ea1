/// Converts a stream of audio from one format to another.
///
/// - **Choose** `SampleRateConverter.Provider` (libsamplerate) for any rate, ``BasicConverter/Provider`` if the rate stays the same.
/// - **Use** it through ``DictationSession``; or pass buffers in order to ``convert(_:)``, then call ``flush()``.
/// - **Implement** it for another resampler.
/// - **Test** your own with `ConverterConformance` from DictationTesting. The cases of `ConverterConformance.Clause` there are what
///   a converter promises.
public protocol FormatConverter {
    /// The format of the input.
    var inputFormat: AudioFormat { get }
    /// The format of the output.
    var outputFormat: AudioFormat { get }
    /// Converts a buffer. The output may be shorter or empty while the converter looks ahead.
    ///
    /// - Throws: ``DictationError/Code/unsupportedFormat`` for a buffer that is not in ``inputFormat``.
    mutating func convert(_ buffer: AudioBuffer) throws(DictationError) -> AudioBuffer
    /// Ends the stream and returns the audio that the converter still holds. A new stream may follow.
    mutating func flush() throws(DictationError) -> AudioBuffer
}

/// Creates converters for a session.
public protocol FormatConverterProvider: Sendable {
    /// Creates a converter.
    ///
    /// - Throws: ``DictationError/Code/unsupportedFormat`` if the provider can't convert between the formats.
    func makeConverter(from input: AudioFormat, to output: AudioFormat) throws(DictationError) -> any FormatConverter
}
