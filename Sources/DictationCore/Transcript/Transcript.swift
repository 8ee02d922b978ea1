/// The text of a take or a recording, with its times, gaps and error.
public struct Transcript: Sendable, Hashable {
    /// The final results that have text, in order.
    public var segments: [SpeechResult]
    /// The audio that was lost.
    public var gaps: [AudioGap]
    /// The duration of the audio, including lost audio.
    public var duration: Duration
    /// The language.
    public var locale: SpeechLocale
    /// The error that ended the text early; otherwise `nil`.
    public var error: DictationError?
    /// Whether all audio that the device delivered reached the engine, and the engine finished it.
    ///
    /// Audio that the device did not deliver, for example while it was unplugged, is only in ``gaps``.
    public var isComplete: Bool
    /// The take, as its session counts takes; `nil` for a recording.
    public var take: TakeID?

    /// Creates a transcript.
    public init(
        segments: [SpeechResult] = [], gaps: [AudioGap] = [], duration: Duration = .zero,
        locale: SpeechLocale = "en-US", error: DictationError? = nil, isComplete: Bool = true, take: TakeID? = nil
    ) {
        self.segments = segments
        self.gaps = gaps
        self.duration = duration
        self.locale = locale
        self.error = error
        self.isComplete = isComplete
        self.take = take
    }

    /// The text.
    public var text: String { locale.join(segments.map(\.text)) }
    /// The words of all segments.
    public var words: [SpeechResult.Word] { segments.flatMap(\.words) }
    /// Whether there is no text.
    public var isEmpty: Bool { segments.isEmpty }
}

extension SpeechLocale {
    /// Joins pieces of text with spaces, or without spaces in languages that don't use them.
    public func join(_ pieces: [String]) -> String {
        var text = ""
        for piece in pieces where !piece.isEmpty { text += separator(between: text, and: piece) + piece }
        return text
    }

    /// Returns the text to put between two pieces: a space or nothing.
    func separator(between first: String, and second: String) -> String {
        guard let last = first.last, let next = second.first, !last.isWhitespace, !next.isWhitespace else { return "" }
        return ["zh", "ja", "th", "lo", "km", "my"].contains(language) ? "" : " "
    }
}
