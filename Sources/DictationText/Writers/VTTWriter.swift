public import DictationCore
import DictationSystem

/// Writes captions in the WebVTT format, `.vtt`, which browsers play.
///
/// Each caption names its speaker in a voice tag, if the speaker is known. A second recording starts where the first one ended.
public struct VTTWriter: TranscriptWriter {
    private var track: CaptionTrack
    private var isOpen = false

    /// Creates a writer.
    public init(style: CaptionStyle = CaptionStyle()) { track = CaptionTrack(style: style) }

    /// Returns the header at the first call.
    public mutating func begin(_ source: TranscriptSource) -> String { open() }

    /// Returns the captions that can no longer change. The last caption waits for the next result or the end.
    public mutating func write(_ result: SpeechResult) -> String { open() + text(track.add(result)) }

    /// Returns no text. A caption that has words from both sides of the gap is cut there, and a caption in the gap says that
    /// text is missing.
    public mutating func write(_ gap: AudioGap) -> String {
        track.add(gap)
        return ""
    }

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
            // "-->" would end the caption.
            let voice = caption.speaker.map { "<v \($0.inMarkup())\($0.hasSuffix("-") ? " " : "")>" } ?? ""
            return
                "\(caption.times(point: "."))\n\(voice)\(caption.lines.map { $0.inMarkup() }.joined(separator: "\n"))\n\n"
        }.joined()
    }
}
