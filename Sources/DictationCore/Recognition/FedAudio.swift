/// The audio that a decoder was fed. Checks that the next buffer follows it.
package struct FedAudio: Sendable {
    private let format: AudioFormat
    package private(set) var end: Duration = .zero

    /// Returns whether all audio before a time was fed.
    package func reaches(_ time: Duration) -> Bool { time <= end || format.isSame(time, end) }

    package init(format: AudioFormat) { self.format = format }

    /// Counts a buffer. Throws if its format is wrong or it lies before the end of earlier audio.
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
