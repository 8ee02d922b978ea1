public import DictationCore

extension ScriptedEngine {
    /// The options and the audio of a session.
    public struct SessionRecord: Sendable, Hashable {
        /// The number of the attempt that made the session, from zero.
        public let attempt: Int
        /// The session's options.
        public let options: RecognitionOptions
        /// The number of frames that the session has taken.
        public private(set) var framesFed: Int64 = 0
        /// The number of buffers that the session has taken.
        public private(set) var bufferCount = 0
        /// The times of the audio, with one range for each stretch without a gap.
        public private(set) var ranges: [Range<Duration>] = []
        /// The number of requests to make everything final.
        public internal(set) var finalizeCount = 0
        /// Whether the session has ended.
        public internal(set) var hasEnded = false

        init(attempt: Int, options: RecognitionOptions) {
            self.attempt = attempt
            self.options = options
        }

        mutating func count(_ buffer: AudioBuffer) {
            framesFed += Int64(buffer.frameCount)
            bufferCount += 1
            if let last = ranges.last, buffer.start <= last.upperBound || buffer.follows(last.upperBound) {
                ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, buffer.end)
            } else {
                ranges.append(buffer.range)
            }
        }
    }
}
