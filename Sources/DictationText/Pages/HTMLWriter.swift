public import DictationCore

/// Writes a page to read and listen: one HTML file that needs nothing but a browser.
///
/// A reader can click a word to hear it, sees the word that is being said, and can search. Words of low confidence are
/// underlined with dots. A text without paragraphs gets some, at pauses and at the first end of a sentence after half a
/// minute. The page loads nothing but its audio, and runs no script but its own, whatever the text contains.
///
/// Set ``TranscriptSource/audio`` for a page that plays the recording, and ``TranscriptSource/locale`` for one that a
/// screen reader reads in the right language.
public struct HTMLWriter: TranscriptWriter {
    /// Words with a lower confidence are underlined, from 0 for none to 1 for all that are not certain.
    public var lowConfidence: Double

    private var source = TranscriptSource()
    private var written = WrittenSegments()
    private var starts = ParagraphStarts()
    private var lengths = ParagraphLengths()
    private var isOpen = false
    private var isInRecording = false
    private var isInParagraph = false
    private var hasDoubts = false
    private var recordings = 0

    /// Creates a writer.
    public init(lowConfidence: Double = 0.1) { self.lowConfidence = lowConfidence }

    /// Starts a recording. Returns the start of the page at the first call.
    public mutating func begin(_ source: TranscriptSource) -> String {
        self.source = source
        return open()
    }

    /// Returns the words of a result.
    public mutating func write(_ result: SpeechResult) -> String { written.accept(result) ? segment(result) : "" }

    /// Returns the other segments of the recording, and what is known only at its end: its duration, losses and error.
    public mutating func end(_ transcript: Transcript) -> String {
        var text = ""
        for result in written.rest(of: transcript) { text += segment(result) }
        if !isInRecording { text += openRecording() }
        text += (isInParagraph ? "</p>\n" : "") + "</div>\n"
        text += PageFooter(transcript: transcript, source: source, hasDoubts: hasDoubts).html + "</section>\n"
        (source, starts, lengths) = (TranscriptSource(), ParagraphStarts(), ParagraphLengths())
        (isInRecording, isInParagraph, hasDoubts) = (false, false, false)
        return text
    }

    /// Returns the end of the page.
    public mutating func finish() -> String { open() + Page.end }

    private mutating func open() -> String {
        defer { isOpen = true }
        guard !isOpen else { return "" }
        return Page.start(title: source.heading)
    }

    private mutating func openRecording() -> String {
        let start = open()
        isInRecording = true
        recordings += 1
        let name = source.fileName.inHTML
        let language = source.locale.map { " lang=\"\($0.identifier.inHTML)\"" } ?? ""
        let audio = source.audio.map {
            """
            <audio controls="" preload="metadata" aria-label="\(name)" src="\($0.address)"></audio>
            <p class="problem" role="alert" hidden="">The browser can’t play the recording. The text is complete.</p>

            """
        }
        return start + "<section id=\"r\(recordings)\" aria-label=\"\(name)\">\n"
            + (recordings > 1 ? "<h2>\(source.heading.inHTML)</h2>\n" : "") + (audio ?? "") + summary
            + "<div class=\"text\"\(language)>\n"
    }

    private var summary: String {
        guard let text = source.summary?.text.inHTML, !text.isEmpty else { return "" }
        return "<p class=\"summary\" dir=\"auto\">\(text)</p>\n"
    }

    private mutating func segment(_ result: SpeechResult) -> String {
        var text = isInRecording ? "" : openRecording()
        let start = starts.add(result)
        if result.breaksBefore > 1 { lengths.hasParagraphs = true }
        let spoken = result.withoutBreaks
        let pieces = TimedPiece.pieces(of: spoken) ?? [TimedPiece(text: spoken.text, range: spoken.range)]
        for (index, piece) in pieces.enumerated() {
            let isFirst = index == 0
            let isDue = lengths.isDue(piece, startsResult: isFirst)
            if isFirst, let start {
                text += openParagraph(at: piece, speaker: start == .sameSpeaker ? nil : result.speakerName)
            } else if isDue {
                text += openParagraph(at: piece)
            } else if isFirst {
                text += result.breaksBefore > 0 ? "<br />" : "\n"
            }
            text += word(piece, isDoubtful: result.isDoubtful)
        }
        return text
    }

    private mutating func openParagraph(at piece: TimedPiece, speaker: String? = nil) -> String {
        let end = isInParagraph ? "</p>\n" : ""
        isInParagraph = true
        lengths.start(piece)
        let name = speaker.map { "<b><bdi>\($0.inHTML)</bdi>:</b> " } ?? ""
        return end + "<p dir=\"auto\">" + time(piece.range.lowerBound) + name
    }

    /// The time at the start of a paragraph, which plays from there.
    private func time(_ time: Duration) -> String {
        guard source.audio != nil else { return "<span class=\"time\">\(time.onClock)</span> " }
        return "<a class=\"time\" href=\"#r\(recordings)-\(time.secondsInHTML)\">\(time.onClock)</a> "
    }

    private mutating func word(_ piece: TimedPiece, isDoubtful: Bool) -> String {
        let isDoubtful = isDoubtful || piece.confidence.map { $0 < lowConfidence } ?? false
        hasDoubts = hasDoubts || isDoubtful
        let times = "\(piece.range.lowerBound.secondsInHTML) \(piece.range.upperBound.secondsInHTML)"
        return "<span data-t=\"\(times)\"\(isDoubtful ? doubt(piece) : "")>\(piece.text.oneLine.inHTML)</span>"
            + (piece.text.last?.isWhitespace == true ? " " : "")
    }

    private func doubt(_ piece: TimedPiece) -> String {
        let percent = piece.confidence.flatMap { $0.isFinite ? Int(min(1, max(0, $0)) * 100) : nil }
        return " class=\"low\" title=\"" + (percent.map { "\($0) % sure" } ?? "unsure") + "\""
    }
}

extension TranscriptSource {
    /// The title of the transcript, or the name of its recording.
    fileprivate var heading: String {
        guard let title = title?.text, title.contains(where: { !$0.isWhitespace }) else { return fileName }
        return title
    }

    /// The last part of the name, because a page may be passed on and its reader need not know the folders.
    var fileName: String {
        let bytes = name.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
        let last = String(decoding: bytes, as: UTF8.self)
        return last.isEmpty || last == "-" ? "Transcript" : last.visible
    }
}
