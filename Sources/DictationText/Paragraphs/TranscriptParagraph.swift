public import DictationCore

/// Consecutive segments of a transcript that belong together: one speaker, without a blank line between them.
///
/// Processing writes the layout into the text: a segment that begins with an empty line starts a paragraph, and a segment
/// that begins with the end of a line starts a line.
public struct TranscriptParagraph: Sendable, Hashable {
    /// Who said it; `nil` if that is unknown.
    public var speaker: String?
    /// The segments. The first one has no line breaks before its text; in a later one they mean a new line.
    public var segments: [SpeechResult]

    /// Creates a paragraph.
    public init(speaker: String? = nil, segments: [SpeechResult]) {
        self.speaker = speaker
        self.segments = segments
    }

    /// The time from the first segment to the last; `nil` without segments.
    public var range: Range<Duration>? {
        guard let first = segments.first?.range else { return nil }
        return segments.dropFirst().reduce(first) {
            min($0.lowerBound, $1.range.lowerBound)..<max($0.upperBound, $1.range.upperBound)
        }
    }

    /// Returns the text of the segments, joined as the language does it.
    public func text(in locale: SpeechLocale) -> String { locale.join(segments.map(\.text)) }
}

extension Transcript {
    /// The segments as paragraphs. A new one starts at a change of speaker, and at a segment whose text begins with an
    /// empty line.
    public var paragraphs: [TranscriptParagraph] {
        var starts = ParagraphStarts()
        return segments.filter(\.hasText).reduce(into: []) { paragraphs, segment in
            let start = starts.add(segment)
            if start == nil, !paragraphs.isEmpty {
                paragraphs[paragraphs.count - 1].segments.append(segment)
            } else {
                paragraphs.append(
                    TranscriptParagraph(speaker: segment.speakerName, segments: [segment.withoutBreaks]))
            }
        }
    }
}
