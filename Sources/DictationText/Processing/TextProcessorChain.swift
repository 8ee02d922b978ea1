public import DictationCore

/// Processes text while it arrives.
///
///     var processing = TextProcessorChain([SpokenPunctuation(), SpokenNumbers()])
///     var accumulator = TranscriptAccumulator()
///     var written: [SpeechResult] = []
///     for try await update in engine.transcribe(file, options: .liveDictation()).updates() {
///         accumulator.apply(update)
///         if let result = update.finalResult { written += processing.add(result) }
///         let shown = written + processing.preview(accumulator.volatileTail)
///         print(Transcript(segments: shown).text)
///     }
///     written += processing.finish()
///
/// The written text does not depend on how the engine cut the words into results. A number that began in one result may
/// end in the next, so the last words stay pending until it is clear how they are written. `preview` shows them as if the
/// text ended there. What another speaker says is a text of its own.
public struct TextProcessorChain: Sendable {
    private let initial: [any TextProcessor]
    private var processors: [any TextProcessor]
    private var composer: ResultComposer
    private var silence = SilenceMeter()
    private var count = 0
    private var speaker: String?

    /// Creates a value for one text.
    ///
    /// - Parameters:
    ///   - processors: The processors, in order. Each gets the text that the one before wrote.
    ///   - locale: The language, which decides whether spaces join the results.
    public init(_ processors: [any TextProcessor], locale: SpeechLocale = "en-US") {
        initial = processors
        self.processors = processors
        composer = ResultComposer(locale: locale)
    }

    /// Adds the next final result.
    ///
    /// - Returns: The written results that no longer change. A result that starts a line or a paragraph begins with
    ///   `"\n"` or `"\n\n"`.
    public mutating func add(_ result: SpeechResult) -> [SpeechResult] {
        let pieces = Tokenizer.pieces(of: result, isSpaced: composer.usesSpaces, source: count)
        guard !pieces.isEmpty else { return [] }
        var results = count > 0 && result.speaker != speaker ? finish() : []
        speaker = result.speaker
        composer.add(ResultComposer.Source(result), number: count)
        count += 1
        for var piece in pieces {
            let silence = silence.next(piece.range)
            piece.silence = silence...silence
            put(piece, into: 0, &results)
        }
        return results
    }

    /// Returns the rest of the text as it would be if it ended after these results: the pending text, then the volatile
    /// results. Pass no results to get the pending text alone.
    public func preview(_ tail: [SpeechResult] = []) -> [SpeechResult] {
        var copy = self
        var results: [SpeechResult] = []
        for result in tail { results += copy.add(result) }
        return results + copy.finish()
    }

    /// Returns the rest of the text. The value is then ready for another text.
    public mutating func finish() -> [SpeechResult] {
        var results: [SpeechResult] = []
        for index in processors.indices {
            var written: [TextPiece] = []
            processors[index].finish(into: &written)
            for piece in written { put(piece, into: index + 1, &results) }
        }
        (processors, silence) = (initial, SilenceMeter())
        if let last = composer.finish() { results.append(last) }
        return results
    }

    private mutating func put(_ piece: TextPiece, into index: Int, _ results: inout [SpeechResult]) {
        guard index < processors.count else {
            if let result = composer.add(piece) { results.append(result) }
            return
        }
        var written: [TextPiece] = []
        processors[index].process(piece, into: &written)
        for piece in written { put(piece, into: index + 1, &results) }
    }
}

extension Transcript {
    /// Returns a transcript with the text that processors write. Words keep their times and confidence.
    ///
    /// - Parameter processors: The processors, in order.
    public func processed(by processors: [any TextProcessor]) -> Transcript {
        var processing = TextProcessorChain(processors, locale: locale)
        var transcript = self
        transcript.segments = segments.flatMap { processing.add($0) } + processing.finish()
        return transcript
    }
}
