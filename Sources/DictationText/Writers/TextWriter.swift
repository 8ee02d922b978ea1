public import DictationCore

/// Writes plain text: one line per result, an empty line between paragraphs, and the speaker's name when the speaker
/// changes. With ``showsLoss``, a last line in brackets says which audio is missing from the text.
///
/// After a line of text, a line that starts with a tab and `~` follows for each alternative. With ``showsWords``, a line follows
/// for each word: start, end, word and confidence, separated by tabs.
public struct TextWriter: TranscriptWriter {
    /// Whether the words follow each line.
    public var showsWords: Bool
    /// Whether each recording that has a name starts with it, as in `==> talk.wav <==`.
    public var showsSources: Bool
    /// Whether a text from which audio is missing ends with a line that says so. A program that reads the text as it was said
    /// sets this to `false`, and looks at `Transcript.loss`.
    public var showsLoss: Bool

    private var hasSources = false
    private var written = WrittenSegments()
    private var starts = ParagraphStarts()

    /// Creates a writer.
    public init(showsWords: Bool = false, showsSources: Bool = false, showsLoss: Bool = true) {
        self.showsWords = showsWords
        self.showsSources = showsSources
        self.showsLoss = showsLoss
    }

    /// Returns the line with the recording's name if it has one and ``showsSources`` is `true`, then the title and the
    /// summary.
    public mutating func begin(_ source: TranscriptSource) -> String {
        let digests = [source.title, source.summary].compactMap { $0?.text.onOneLine }.filter { !$0.isEmpty }
        let heading = digests.map { $0 + "\n\n" }.joined()
        guard showsSources, !source.name.isEmpty else { return heading }
        defer { hasSources = true }
        return (hasSources ? "\n" : "") + "==> \(source.name.visible) <==\n" + heading
    }

    /// Returns the lines of a result.
    public mutating func write(_ result: SpeechResult) -> String { written.accept(result) ? lines(result) : "" }

    /// Returns the lines of the segments that are not written yet, and what is missing from the text.
    public mutating func end(_ transcript: Transcript) -> String {
        defer { starts = ParagraphStarts() }
        var text = ""
        for result in written.rest(of: transcript) { text += lines(result) }
        if showsLoss, let loss = transcript.loss { text += (starts.hasBegun ? "\n" : "") + "[\(loss)]\n" }
        return text
    }

    /// Returns no text, because plain text has no end mark.
    public mutating func finish() -> String { "" }

    private mutating func lines(_ segment: SpeechResult) -> String {
        let start = starts.add(segment)
        var text = start == .sameSpeaker || start == .newSpeaker ? "\n" : ""
        if start == .first || start == .newSpeaker, let name = segment.speakerName { text += name + ": " }
        text += (segment.breaksBefore > 0 ? segment.withoutBreaks : segment).text.onOneLine + "\n"
        for alternative in segment.alternatives {
            text += "\t~ \(alternative.text.onOneLine)" + column(alternative.confidence) + "\n"
        }
        guard showsWords else { return text }
        for word in segment.words {
            let times = word.range.map { "\(decimal($0.lowerBound))\t\(decimal($0.upperBound))" } ?? "\t"
            text += "\t\(times)\t\(word.text.onOneLine)" + column(word.confidence) + "\n"
        }
        return text
    }

    private func column(_ confidence: Double?) -> String {
        confidence.map { "\t\((($0 * 100).rounded() / 100))" } ?? ""
    }

    /// Returns a time in seconds with three decimals.
    private func decimal(_ time: Duration) -> String {
        "\(time.milliseconds / 1_000)." + digits(time.milliseconds % 1_000, count: 3)
    }
}
