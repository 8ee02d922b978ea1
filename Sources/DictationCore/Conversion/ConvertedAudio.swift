extension AudioInput {
    /// Makes an input of audio that is converted as it is pulled. Where the audio's format changes or a piece of it is
    /// missing, the converter gives what it holds and begins anew.
    public init(
        converting pull: @escaping @Sendable () async throws(DictationError) -> AudioBuffer?, to format: AudioFormat,
        by provider: any FormatConverterProvider
    ) {
        self.init {
            var conversion = Conversion(format: format, provider: provider)
            return { () async throws(DictationError) in
                while true {
                    if let ready = conversion.ready.popFirst() { return ready }
                    if conversion.isFinished { return nil }
                    try conversion.take(try await pull())
                }
            }
        }
    }
}

private struct Conversion {
    let format: AudioFormat
    let provider: any FormatConverterProvider
    var ready = FIFO<AudioBuffer>()
    var isFinished = false
    private var converter: (any FormatConverter)?
    private var end: Duration?

    init(format: AudioFormat, provider: any FormatConverterProvider) {
        self.format = format
        self.provider = provider
    }

    mutating func take(_ buffer: AudioBuffer?) throws(DictationError) {
        guard let buffer else {
            isFinished = true
            return try flush()
        }
        let slack = buffer.format.duration(ofFrames: 1)
        if let end, buffer.start > end + slack || buffer.start < end - slack { try flush() }
        end = buffer.end
        if buffer.format == format {
            try flush()
            return add(buffer)
        }
        if converter?.inputFormat != buffer.format {
            try flush()
            converter = try provider.makeConverter(from: buffer.format, to: format)
        }
        if let converted = try converter?.convert(buffer) { add(converted) }
    }

    private mutating func flush() throws(DictationError) {
        guard let tail = try converter?.flush() else { return }
        converter = nil
        add(tail)
    }

    private mutating func add(_ buffer: AudioBuffer) {
        if !buffer.isEmpty { ready.append(buffer) }
    }
}
