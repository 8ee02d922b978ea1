extension DictationSession {
    /// How a session captures, waits and stops.
    public struct Configuration: Sendable {
        /// The engine's options, such as the language.
        public var recognition: RecognitionOptions
        /// The capturer's options, such as the device.
        public var capture: CaptureOptions
        /// How long capture goes on after `stop()`, so that the last word is complete.
        public var tail: Duration
        /// The most audio that may wait for an engine that is warming up or behind. Audio beyond it is lost and reported as
        /// a gap.
        public var backlog: Duration
        /// How long the microphone may take to open, including retries.
        public var openTimeout: Duration
        /// How long the engine may take to become ready, including retries.
        public var warmUpTimeout: Duration
        /// How long `stop()` may take, even when the microphone or the engine hangs.
        public var stopTimeout: Duration
        /// The wait before the first retry. Each further wait is twice as long.
        public var retryDelay: Duration
        /// Whether the microphone stays open for a while between takes.
        public var stopMode: CaptureOptions.StopMode
        /// The silence after speech at which the take stops by itself; `nil` turns this off.
        public var endingSilence: Duration?
        /// The length at which the take stops by itself; `nil` turns this off.
        public var maximumLength: Duration?
        /// The thresholds that tell speech, silence and missing input apart.
        public var input: DictationSession.InputThresholds

        /// Creates a configuration.
        public init(
            recognition: RecognitionOptions = .liveDictation(), capture: CaptureOptions = CaptureOptions(),
            tail: Duration = .milliseconds(200), backlog: Duration = .seconds(60), openTimeout: Duration = .seconds(10),
            warmUpTimeout: Duration = .seconds(60), stopTimeout: Duration = .seconds(10),
            retryDelay: Duration = .milliseconds(100), stopMode: CaptureOptions.StopMode = .warm,
            endingSilence: Duration? = nil, maximumLength: Duration? = nil,
            input: DictationSession.InputThresholds = DictationSession.InputThresholds()
        ) {
            self.recognition = recognition
            self.capture = capture
            self.tail = tail
            self.backlog = backlog
            self.openTimeout = openTimeout
            self.warmUpTimeout = warmUpTimeout
            self.stopTimeout = stopTimeout
            self.retryDelay = retryDelay
            self.stopMode = stopMode
            self.endingSilence = endingSilence
            self.maximumLength = maximumLength
            self.input = input
        }
    }
}

extension DictationSession.Configuration {
    /// The same configuration with usable times: a negative time becomes zero, and an endless time becomes
    /// `Duration.longestWait`.
    var bounded: DictationSession.Configuration {
        func bounded(_ time: Duration, least: Duration = .zero) -> Duration { max(least, min(.longestWait, time)) }
        var configuration = self
        configuration.tail = bounded(tail)
        configuration.backlog = bounded(backlog)
        configuration.openTimeout = bounded(openTimeout)
        configuration.warmUpTimeout = bounded(warmUpTimeout)
        configuration.stopTimeout = bounded(stopTimeout)
        // Retries without a pause would keep a processor busy.
        configuration.retryDelay = bounded(retryDelay, least: .milliseconds(1))
        configuration.endingSilence = endingSilence.map { bounded($0) }
        configuration.maximumLength = maximumLength.map { bounded($0) }
        configuration.input.silenceTimeout = bounded(input.silenceTimeout, least: .milliseconds(10))
        return configuration
    }
}
