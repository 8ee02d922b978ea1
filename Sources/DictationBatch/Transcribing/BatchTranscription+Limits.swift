extension BatchTranscription {
    /// What one item of a batch may take. An item beyond a limit fails, and the others go on.
    ///
    /// For a limit of memory, give the batch a `HelperEngine` with a `memoryLimit`.
    public struct Limits: Sendable, Hashable {
        /// The longest time to work on an item; `nil` for no limit.
        public var time: Duration?
        /// The longest audio of an item; `nil` for no limit.
        public var audio: Duration?

        /// Creates limits. Without arguments an item may take four hours and have a day of audio.
        public init(time: Duration? = .seconds(4 * 3_600), audio: Duration? = .seconds(24 * 3_600)) {
            self.time = time
            self.audio = audio
        }
    }
}
