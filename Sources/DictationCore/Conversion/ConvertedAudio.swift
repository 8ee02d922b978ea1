extension AudioInput {
    /// Makes an input of audio that is converted as it is pulled.
    ///
    /// Where the format changes or audio is missing, the converter flushes what it holds and starts again. If the input
    /// fails, the reader gets all audio before the error first.
    public init(converting input: AudioInput, to format: AudioFormat, by provider: any FormatConverterProvider) {
        self.init(
            converting: {
                var buffers = input.makeAsyncIterator()
                return { () async throws(DictationError) in try await buffers.next().map { .audio($0) } }
            }, to: format, by: provider, giving: { _ in true }, atPhraseEnd: {})
    }

    /// Makes an input of pieces. `giving` is asked before a buffer is given, and ends the input with `false`;
    /// `atPhraseEnd` is called once the reader has taken all audio before the end of a phrase.
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

/// What comes from a microphone on its way to an engine.
enum AudioPiece: Sendable {
    case audio(AudioBuffer)
    /// Nothing spans this point: a pause, for instance.
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

    /// Ends the input with what the converter holds; the first error counts.
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
            // What failed is not asked for the rest.
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
