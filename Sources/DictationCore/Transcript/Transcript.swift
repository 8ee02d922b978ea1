/// The text of a take or a recording, with what is known about it.
public struct Transcript: Sendable, Hashable {
    /// The final results that have text, in order.
    public var segments: [SpeechResult]
    /// The audio that was lost.
    public var gaps: [AudioGap]
    /// How much audio there was, lost audio included.
    public var duration: Duration
    /// The language.
    public var locale: SpeechLocale
    /// Why the text ends early, when it does.
    public var error: DictationError?
    /// Whether nothing got lost on the way: all audio that a device gave reached the engine, and it was done with it.
    /// Audio that a device did not give, because it was unplugged for instance, is in `gaps` alone.
    public var isComplete: Bool
    /// The take that was spoken, by its session's count; `nil` for a recording.
    public var take: TakeID?

    /// Makes a transcript.
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
    /// Puts pieces of text together: with spaces, except in languages that are written without.
    public func join(_ pieces: [String]) -> String {
        var text = ""
        for piece in pieces where !piece.isEmpty { text += separator(between: text, and: piece) + piece }
        return text
    }

    /// What stands between two pieces of text: a space, or nothing.
    func separator(between first: String, and second: String) -> String {
        guard let last = first.last, let next = second.first, !last.isWhitespace, !next.isWhitespace else { return "" }
        return ["zh", "ja", "th", "lo", "km", "my"].contains(language) ? "" : " "
    }
}
