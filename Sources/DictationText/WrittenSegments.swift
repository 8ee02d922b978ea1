import DictationCore

/// Counts the written segments of a recording, so that the end of the recording adds only the rest.
struct WrittenSegments: Sendable {
    private var count = 0

    /// Returns whether a result belongs in the document, and counts it. A transcript has the same results as segments.
    mutating func accept(_ result: SpeechResult) -> Bool {
        guard result.hasText else { return false }
        count += 1
        return true
    }

    /// Returns the segments that are not written yet, and resets the count for the next recording.
    mutating func rest(of transcript: Transcript) -> ArraySlice<SpeechResult> {
        defer { count = 0 }
        return transcript.segments.filter(\.hasText).dropFirst(count)
    }
}
