public import DictationCore

/// Tries the promises of `SpeechEngine` and `RecognitionSession` on an engine.
///
/// Pass the engine and a few seconds of speech that the engine recognizes:
///
///     let report = try await EngineConformance(MyEngine(), audio: speech).run()
///     print(report)
///
/// The suite works with real engines on real threads and with scripted engines in ``VirtualTime``. The engine
/// recognizes the audio about twenty times, so longer audio makes a slower test.
public struct EngineConformance: ConformanceSuite {
    /// The engine to test.
    public var engine: any SpeechEngine
    /// Speech that the engine recognizes, in order and in the engine's format.
    ///
    /// An engine with volatile results must emit a volatile result before everything is final, whatever the sizes of
    /// the buffers.
    public var audio: [AudioBuffer]
    /// The options for the sessions. Their finalization timeout must be long enough to recognize all of the audio.
    public var options: RecognitionOptions
    /// The time limit for everything that should happen at once.
    public var responseTimeout: Duration
    /// The finalization timeout for checks in which the deadline passes.
    public var shortTimeout: Duration
    /// The seed for the random sizes of buffers.
    public var seed: UInt64
    /// An engine whose sessions fail somewhere in the audio.
    public var failing: (any SpeechEngine)?
    /// An engine whose sessions get stuck somewhere in the audio.
    public var stalling: (any SpeechEngine)?

    /// Creates a suite for an engine.
    public init(
        _ engine: any SpeechEngine, audio: [AudioBuffer], options: RecognitionOptions = .liveDictation(),
        responseTimeout: Duration = .seconds(5), shortTimeout: Duration = .milliseconds(500), seed: UInt64 = 1,
        failing: (any SpeechEngine)? = nil, stalling: (any SpeechEngine)? = nil
    ) {
        self.engine = engine
        self.audio = audio
        self.options = options
        self.responseTimeout = responseTimeout
        self.shortTimeout = shortTimeout
        self.seed = seed
        self.failing = failing
        self.stalling = stalling
    }

    /// Tries each promise on the engine.
    public func run() async throws(DictationError) -> ConformanceReport<EngineConformance.Clause> {
        let check = try await EngineCheck(self)
        try await check.run()
        return check.findings.report(on: "The engine “\(engine.name)”")
    }
}
