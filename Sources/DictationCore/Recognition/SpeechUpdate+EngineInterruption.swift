extension SpeechUpdate {
    /// An engine that failed during a session and was started again.
    ///
    /// The audio that was not final yet is recognized again, so volatile text may disappear and come back. Only if the engine
    /// fails on the same audio again and again, that audio is left out.
    public struct EngineInterruption: Sendable, Hashable {
        /// Why the engine failed.
        public var cause: DictationError
        /// The audio that was left out; `nil` if nothing is lost.
        public var lost: Range<Duration>?

        /// Creates an interruption.
        public init(cause: DictationError, lost: Range<Duration>? = nil) {
            self.cause = cause
            self.lost = lost
        }
    }
}
