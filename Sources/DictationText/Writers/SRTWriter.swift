public import DictationCore

/// Writes captions in the SubRip format, `.srt`.
///
/// SubRip has no escapes. The writer inserts an invisible character (U+2060) after `<` and `{`, and into `-->`, so that
/// players do not take them as markup. When the speaker changes, the text starts with the name, as in `Anna: Good morning.`
/// A second recording starts where the first one ended.
public struct SRTWriter: TranscriptWriter {
    private var track: CaptionTrack
    private var count = 0

    /// Creates a writer.
    public init(style: CaptionStyle = CaptionStyle()) { track = CaptionTrack(style: style, writesNames: true) }

    /// Returns no text, because a SubRip file starts with its first caption.
    public mutating func begin(_ source: TranscriptSource) -> String { "" }

    /// Returns the captions that can no longer change. The last caption waits for the next result or the end.
    public mutating func write(_ result: SpeechResult) -> String { text(track.add(result)) }

    /// Returns no text. A caption that has words from both sides of the gap is cut there, and a caption in the gap says that
    /// text is missing.
    public mutating func write(_ gap: AudioGap) -> String {
        track.add(gap)
        return ""
    }

    /// Returns the remaining captions of the recording.
    public mutating func end(_ transcript: Transcript) -> String { text(track.end(transcript)) }

    /// Returns no text, because a SubRip file ends with its last caption.
    public mutating func finish() -> String { "" }

    private mutating func text(_ captions: [Caption]) -> String {
        captions.map { caption in
            count += 1
            return
                "\(count)\n\(caption.times(point: ","))\n\(caption.lines.map(Self.escape).joined(separator: "\n"))\n\n"
        }.joined()
    }

    /// Works on scalars, as players do. Swift combines `<` and a following combining mark into one character.
    private static func escape(_ line: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            let isArrow = scalar == ">" && text.suffix(2).elementsEqual("--".unicodeScalars)
            if text.last == "<" || text.last == "{" || isArrow { text.append("\u{2060}") }
            text.append(scalar)
        }
        return String(text)
    }
}
