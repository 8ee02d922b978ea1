/// Counts frames and returns their times, across changes of the format.
public struct AudioTimeline: Sendable, Hashable {
    private var base: Duration
    private var frames: Int64 = 0
    private var format: AudioFormat?

    /// Creates a timeline that begins at a time.
    public init(start: Duration = .zero) { base = start.onTimeline }

    /// The time of the next frame.
    public var position: Duration { (base + (format?.duration(ofFrames: frames) ?? .zero)).onTimeline }

    /// Counts frames and returns their range of times.
    public mutating func advance(by count: Int64, of format: AudioFormat) -> Range<Duration> {
        let start = position
        if format.sampleRate != self.format?.sampleRate {
            base = start
            frames = 0
            self.format = format
        }
        frames = frames.adding(clamping: max(0, count))
        return start..<max(start, position)
    }

    /// Counts a duration, such as that of lost audio, and returns its range of times.
    public mutating func advance(by duration: Duration) -> Range<Duration> {
        let start = position
        base = (start + max(.zero, duration.onTimeline)).onTimeline
        frames = 0
        return start..<base
    }
}
