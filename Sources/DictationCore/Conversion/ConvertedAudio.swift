extension AudioInput {
    /// Makes an input of audio that is converted as it is pulled.
    ///
    /// Where the format changes or audio is missing, the converter gives what it holds and starts again. Where the audio
    /// fails, all that came before is given first.
    public init(
        converting pull: @escaping @Sendable () async throws(DictationError) -> AudioBuffer?, to format: AudioFormat,
        by provider: any FormatConverterProvider
    ) {
        self.init(
            converting: { () async throws(DictationError) in try await pull().map { .audio($0) } }, to: format,
            by: provider, losing: { _ in }, atPhraseEnd: {})
    }

    /// Makes an input of pieces. `losing` hears of audio that a failing converter took in and did not give;
    /// `atPhraseEnd` is called once the reader has taken all audio before the end of a phrase.
    init(
        converting pull: @escaping @Sendable () async throws(DictationError) -> AudioPiece?, to format: AudioFormat,
        by provider: any FormatConverterProvider, losing: @escaping @Sendable (AudioBuffer.Loss) -> Void,
        atPhraseEnd: @escaping @Sendable () -> Void
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
                    if conversion.takePhraseEnd() { atPhraseEnd() }
                    do throws(DictationError) { try conversion.take(try await pull()) } catch {
                        conversion.finish(.failure(error))
                    }
                    if let loss = conversion.takeLoss() { losing(loss) }
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

extension AudioBuffer {
    /// Audio that came and did not get any further.
    struct Loss: Sendable {
        var range: Range<Duration>
        var frameCount: Int64
    }
}

private struct Conversion {
    let format: AudioFormat
    let provider: any FormatConverterProvider
    var ready = FIFO<AudioBuffer>()
    private(set) var end: Result<Void, DictationError>?
    private var converter: (any FormatConverter)?
    /// Where the audio that was taken in ends.
    private var position: Duration?
    /// Where the audio that was given ends.
    private var given: Duration?
    private var isAtPhraseEnd = false
    private var loss: AudioBuffer.Loss?

    init(format: AudioFormat, provider: any FormatConverterProvider) {
        self.format = format
        self.provider = provider
    }

    mutating func takePhraseEnd() -> Bool {
        defer { isAtPhraseEnd = false }
        return isAtPhraseEnd
    }

    mutating func takeLoss() -> AudioBuffer.Loss? {
        defer { loss = nil }
        return loss
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
        if let position, !buffer.follows(position) { try flush() }
        if converter?.inputFormat != buffer.format { try flush() }
        if given == nil { given = buffer.start }
        position = buffer.end
        if buffer.format == format { return add(buffer) }
        do throws(DictationError) {
            if converter == nil { converter = try provider.makeConverter(from: buffer.format, to: format) }
            if let converted = try converter?.convert(buffer) { add(converted) }
        } catch {
            lose(in: buffer.format)
            throw error
        }
    }

    private mutating func flush() throws(DictationError) {
        defer { (converter, given) = (nil, nil) }
        guard let format = converter?.inputFormat else { return }
        do throws(DictationError) { if let tail = try converter?.flush() { add(tail) } } catch {
            lose(in: format)
            throw error
        }
    }

    /// A converter that fails has lost what it held; it is not asked again.
    private mutating func lose(in format: AudioFormat) {
        converter = nil
        guard let given, let position, position > given else { return }
        loss = AudioBuffer.Loss(range: given..<position, frameCount: format.frames(in: position - given))
        self.given = position
    }

    private mutating func add(_ buffer: AudioBuffer) {
        guard !buffer.isEmpty else { return }
        given = buffer.end
        ready.append(buffer)
    }
}
