import DictationCore

/// A provider whose converters come from a closure.
struct HostileConverters: FormatConverterProvider {
    typealias Make =
        @Sendable (_ input: AudioFormat, _ output: AudioFormat) throws(DictationError) -> any FormatConverter

    let make: Make

    init(_ make: @escaping Make) { self.make = make }

    func makeConverter(from input: AudioFormat, to output: AudioFormat) throws(DictationError) -> any FormatConverter {
        try make(input, output)
    }
}

/// A converter whose output comes from closures.
struct HostileConverter: FormatConverter {
    let inputFormat: AudioFormat
    let outputFormat: AudioFormat
    private let giving: (AudioBuffer) throws(DictationError) -> AudioBuffer
    private let flushing: () throws(DictationError) -> AudioBuffer

    init(
        _ input: AudioFormat, _ output: AudioFormat,
        convert: @escaping (AudioBuffer) throws(DictationError) -> AudioBuffer,
        flush: (() throws(DictationError) -> AudioBuffer)? = nil
    ) {
        (inputFormat, outputFormat, giving) = (input, output, convert)
        flushing = flush ?? { AudioBuffer(silence: 0, format: output) }
    }

    func convert(_ buffer: AudioBuffer) throws(DictationError) -> AudioBuffer { try giving(buffer) }
    func flush() throws(DictationError) -> AudioBuffer { try flushing() }
}
