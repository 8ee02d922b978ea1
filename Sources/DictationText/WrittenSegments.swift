import DictationCore

/// Counts the segments of a recording that are written, so that its end adds only the rest.
struct WrittenSegments: Sendable {
    private var count = 0

    /// Whether a result belongs in the document; counts it if so. A transcript keeps the same results as segments.
    mutating func accept(_ result: SpeechResult) -> Bool {
        guard !result.text.isEmpty else { return false }
        count += 1
        return true
    }

    /// Returns the segments that are not written yet, and starts over for the next recording.
    mutating func rest(of transcript: Transcript) -> ArraySlice<SpeechResult> {
        defer { count = 0 }
        return transcript.segments.dropFirst(count)
    }
}
