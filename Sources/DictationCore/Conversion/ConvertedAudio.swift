extension AudioInput {
    /// Creates an input that converts another input's audio as it is pulled.
    ///
    /// Where the format changes or audio is missing, the converter is flushed and a new one begins. If the input fails,
    /// the reader first gets all audio before the error.
    ///
    /// - Parameters:
    ///   - input: The audio to convert.
    ///   - format: The format of the converted audio.
    ///   - provider: Creates the converters.
    public init(converting input: AudioInput, to format: AudioFormat, by provider: any FormatConverterProvider) {
        self.init(
            converting: {
                var buffers = input.makeAsyncIterator()
                return { () async throws(DictationError) in try await buffers.next().map { .audio($0) } }
            }, to: format, by: provider, giving: { _ in true }, atPhraseEnd: {})
    }

    /// Creates an input from pieces. Calls `giving` before each buffer; the input ends when it returns `false`. Calls
    /// `atPhraseEnd` when the reader has taken all audio before the end of a phrase.
    init(
        converting makeNext: @escaping @Sendable () -> () async throws(DictationError) -> AudioPiece?,
        to format: AudioFormat,
        by provider: any FormatConverterProvider, giving: @escaping @Sendable (AudioBuffer) -> Bool,
        atPhraseEnd: @escaping @Sendable () -> Void
    ) {
        self.init {
            let pull = makeNext()
            var conversion = Conversion(format: format, provider: provider)
            return { () async throws(DictationError) in
                while true {
                    if let ready = conversion.ready.popFirst() { return giving(ready) ? ready : nil }
                    if let end = conversion.end {
                        try end.get()
                        return nil
                    }
                    if conversion.takePhraseEnd() { atPhraseEnd() }
                    do throws(DictationError) { try conversion.take(try await pull()) } catch {
                        conversion.finish(.failure(error))
                    }
                }
            }
        }
    }
}

/// Audio, or the end of a phrase, on its way from a microphone to an engine.
enum AudioPiece: Sendable {
    case audio(AudioBuffer)
    /// A point that no phrase spans, such as a pause.
    case phraseEnd
}

private struct Conversion {
    let format: AudioFormat
    let provider: any FormatConverterProvider
    var ready = FIFO<AudioBuffer>()
    private(set) var end: Result<Void, DictationError>?
    private var converter: (any FormatConverter)?
    private var position: Duration?
    private var isAtPhraseEnd = false

    init(format: AudioFormat, provider: any FormatConverterProvider) {
        self.format = format
        self.provider = provider
    }

    mutating func takePhraseEnd() -> Bool {
        defer { isAtPhraseEnd = false }
        return isAtPhraseEnd
    }

    mutating func take(_ piece: AudioPiece?) throws(DictationError) {
        switch piece {
        case .audio(let buffer): try convert(buffer)
        case .phraseEnd:
            try flush()
            isAtPhraseEnd = true
        case nil: finish(.success(()))
        }
    }

    /// Ends the input with the audio that the converter still holds. The first error counts.
    mutating func finish(_ end: Result<Void, DictationError>) {
        self.end = end
        do throws(DictationError) { try flush() } catch {
            if case .success = end { self.end = .failure(error) }
        }
    }

    private mutating func convert(_ buffer: AudioBuffer) throws(DictationError) {
        let isNew = position.map { !buffer.follows($0) } ?? false
        if isNew || converter.map({ $0.inputFormat != buffer.format }) ?? false { try flush() }
        position = buffer.end
        if buffer.format == format { return add(buffer) }
        if converter == nil { converter = try provider.makeConverter(from: buffer.format, to: format) }
        do throws(DictationError) { if let converted = try converter?.convert(buffer) { add(converted) } } catch {
            // A converter that failed is not flushed.
            converter = nil
            throw error
        }
    }

    private mutating func flush() throws(DictationError) {
        defer { converter = nil }
        if let tail = try converter?.flush() { add(tail) }
    }

    private mutating func add(_ buffer: AudioBuffer) {
        if !buffer.isEmpty { ready.append(buffer) }
    }
}
