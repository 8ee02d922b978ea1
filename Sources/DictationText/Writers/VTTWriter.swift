public import DictationCore

/// Writes captions in the WebVTT format, `.vtt`, which browsers play.
///
/// A second recording starts where the first one ended.
public struct VTTWriter: TranscriptWriter {
    private var track: CaptionTrack
    private var isOpen = false

    /// Creates a writer.
    public init(style: CaptionStyle = CaptionStyle()) { track = CaptionTrack(style: style) }

    /// Returns the header at the first call.
    public mutating func begin(_ source: TranscriptSource) -> String { open() }

    /// Returns the captions that can no longer change. The last caption waits for the next result or the end.
    public mutating func write(_ result: SpeechResult) -> String { open() + text(track.add(result)) }

    /// Returns the remaining captions of the recording.
    public mutating func end(_ transcript: Transcript) -> String { open() + text(track.end(transcript)) }

    /// Returns the header if no other call has returned it.
    public mutating func finish() -> String { open() }

    private mutating func open() -> String {
        defer { isOpen = true }
        return isOpen ? "" : "WEBVTT\n\n"
    }

    private func text(_ captions: [Caption]) -> String {
        captions.map { caption in
            "\(caption.times(point: "."))\n\(caption.lines.map(Self.escape).joined(separator: "\n"))\n\n"
        }.joined()
    }

    /// Works on scalars, as players do. Swift combines `<` and a following combining mark into one character.
    private static func escape(_ line: String) -> String {
        line.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
