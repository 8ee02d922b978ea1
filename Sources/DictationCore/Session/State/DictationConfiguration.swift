/// How a session captures, waits and stops.
public struct DictationConfiguration: Sendable {
    /// What the engine is asked to do.
    public var recognition: RecognitionOptions
    /// What the capturer is asked for.
    public var capture: CaptureOptions
    /// How much is still captured after `stop()`, so that the last word is whole.
    public var tail: Duration
    /// How much audio waits for an engine that is warming up or behind; what comes beyond is reported as a gap.
    public var backlog: Duration
    /// How long the microphone may take to open, retries included.
    public var openTimeout: Duration
    /// How long the engine may take to be ready, retries included.
    public var warmUpTimeout: Duration
    /// How long `stop()` may take, whatever hangs.
    public var stopTimeout: Duration
    /// How long the first retry waits; each further one waits twice as long.
    public var retryDelay: Duration
    /// What becomes of the microphone between takes.
    public var stopMode: CaptureStopMode
    /// The take stops by itself after so much silence, once something was said; `nil` never.
    public var stopAfterSilence: Duration?
    /// The take stops by itself at this length; `nil` never.
    public var maximumLength: Duration?
    /// What counts as no input, silence and speech.
    public var input: InputThresholds

    /// Makes a configuration.
    public init(
        recognition: RecognitionOptions = .liveDictation(), capture: CaptureOptions = CaptureOptions(),
        tail: Duration = .milliseconds(200), backlog: Duration = .seconds(60), openTimeout: Duration = .seconds(10),
        warmUpTimeout: Duration = .seconds(60), stopTimeout: Duration = .seconds(10),
        retryDelay: Duration = .milliseconds(100), stopMode: CaptureStopMode = .warm,
        stopAfterSilence: Duration? = nil, maximumLength: Duration? = nil, input: InputThresholds = InputThresholds()
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
        self.stopAfterSilence = stopAfterSilence
        self.maximumLength = maximumLength
        self.input = input
    }
}

extension DictationConfiguration {
    /// The same with times that can be counted with: a negative one is none, and an endless one is very long.
    var bounded: DictationConfiguration {
        func bounded(_ time: Duration, least: Duration = .zero) -> Duration { max(least, min(.longestWait, time)) }
        var configuration = self
        configuration.tail = bounded(tail)
        configuration.backlog = bounded(backlog)
        configuration.openTimeout = bounded(openTimeout)
        configuration.warmUpTimeout = bounded(warmUpTimeout)
        configuration.stopTimeout = bounded(stopTimeout)
        // Asking again without a pause would keep a processor busy.
        configuration.retryDelay = bounded(retryDelay, least: .milliseconds(1))
        configuration.stopAfterSilence = stopAfterSilence.map { bounded($0) }
        configuration.maximumLength = maximumLength.map { bounded($0) }
        configuration.input.silenceTimeout = bounded(input.silenceTimeout, least: .milliseconds(10))
        return configuration
    }
}
