extension AudioInput {
    /// Makes an input of audio that is converted as it is pulled. Where the audio's format changes or a piece of it is
    /// missing, the converter gives what it holds and begins anew; where the audio fails, all that came before is given
    /// first.
    public init(
        converting pull: @escaping @Sendable () async throws(DictationError) -> AudioBuffer?, to format: AudioFormat,
        by provider: any FormatConverterProvider
    ) {
        self.init {
            var conversion = Conversion(format: format, provider: provider)
            return { () async throws(DictationError) in
                while true {
                    if let ready = conversion.ready.popFirst() { return ready }
                    if let end = conversion.end {
                        try end.get()
                        return nil
                    }
                    do throws(DictationError) { try conversion.take(try await pull()) } catch {
                        try conversion.finish(.failure(error))
                    }
                }
            }
        }
    }
}

private struct Conversion {
    let format: AudioFormat
    let provider: any FormatConverterProvider
    var ready = FIFO<AudioBuffer>()
    private(set) var end: Result<Void, DictationError>?
    private var converter: (any FormatConverter)?
    private var position: Duration?

    init(format: AudioFormat, provider: any FormatConverterProvider) {
        self.format = format
        self.provider = provider
    }

    mutating func take(_ buffer: AudioBuffer?) throws(DictationError) {
        guard let buffer else { return try finish(.success(())) }
        let slack = buffer.format.duration(ofFrames: 1)
        if let position, buffer.start > position + slack || buffer.start < position - slack { try flush() }
        position = buffer.end
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

    mutating func finish(_ end: Result<Void, DictationError>) throws(DictationError) {
        self.end = end
        try flush()
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
