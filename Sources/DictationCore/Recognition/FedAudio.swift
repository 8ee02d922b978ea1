/// How much audio a decoder was fed, and whether the next follows on.
package struct FedAudio: Sendable {
    private let format: AudioFormat
    package private(set) var end: Duration = .zero

    /// Whether all audio before a time was fed.
    package func reaches(_ time: Duration) -> Bool { time <= end || format.isSame(time, end) }

    package init(format: AudioFormat) { self.format = format }

    /// Counts a buffer, or says why it can't be taken.
    package mutating func admit(_ buffer: AudioBuffer) throws(DictationError) {
        guard buffer.format == format else {
            throw DictationError(
                .unsupportedFormat, "The session takes \(format) and was given \(buffer.format).",
                recovery: "Convert the audio first; DictationSession does so by itself.")
        }
        guard buffer.start >= end || buffer.follows(end) else {
            throw DictationError(
                .disorderedAudio, "A buffer begins at \(buffer.start), before the end of the audio given at \(end).",
                recovery: "Give each buffer once, in order, with times that don't overlap.")
        }
        end = max(end, buffer.end)
    }
}
