public import DictationCore

extension ScriptedEngine {
    /// What a session was asked for and fed.
    public struct SessionRecord: Sendable, Hashable {
        /// Which attempt to make a session it came from, counted from zero.
        public let attempt: Int
        /// What it was asked for.
        public let options: RecognitionOptions
        /// How many frames it was fed.
        public private(set) var framesFed: Int64 = 0
        /// How many buffers they came in.
        public private(set) var bufferCount = 0
        /// When they were: one range for each run without a gap.
        public private(set) var ranges: [Range<Duration>] = []
        /// How often it was asked to make everything final.
        public internal(set) var finalizeCount = 0
        /// Whether it has ended, however it did.
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
