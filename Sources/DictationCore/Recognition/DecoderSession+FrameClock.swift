extension DecoderSession {
    /// Turns an engine's frame counts into times, across gaps in the audio.
    public struct FrameClock: Sendable {
        private struct Mark {
            var frame: Int64
            var time: Duration
        }

        private let format: AudioFormat
        private var marks: [Mark] = []
        /// The number of frames fed so far.
        public private(set) var frames: Int64 = 0

        /// Creates a clock for audio of a format.
        public init(format: AudioFormat) { self.format = format }

        /// Counts frames that begin at a time.
        ///
        /// - Parameters:
        ///   - count: The number of frames that the engine gets.
        ///   - start: The time of the first of them.
        public mutating func feed(frames count: Int, at start: Duration) {
            let start = start.onTimeline
            let expected = time(ofFrame: frames)
            if marks.isEmpty || !format.isSame(start, expected) {
                marks.append(Mark(frame: frames, time: start))
            }
            frames = frames.adding(clamping: Int64(max(0, count)))
        }

        /// Returns the time of a frame, counted from the first frame that was fed.
        public func time(ofFrame frame: Int64) -> Duration {
            guard let mark = marks.last(where: { $0.frame <= frame }) ?? marks.first else {
                return format.duration(ofFrames: frame)
            }
            return (mark.time + format.duration(ofFrames: frame.adding(clamping: -mark.frame))).onTimeline
        }

        /// Discards data needed only for frames before `frame`.
        public mutating func discard(before frame: Int64) {
            guard let current = marks.lastIndex(where: { $0.frame <= frame }), current > 0 else { return }
            marks.removeFirst(current)
        }
    }
}
