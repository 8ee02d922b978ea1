public import DictationCore

/// Tries the promises of `SpeechEngine` and `RecognitionSession` on an engine.
///
/// Give it the engine and a few seconds of audio in which the engine understands something:
///
///     let report = try await EngineConformance(MyEngine(), audio: speech).run()
///     print(report)
///
/// It works with real engines on real threads and with scripted ones in `VirtualTime`. The audio must be in the format
/// that the engine takes; longer audio makes a slower test, since it is recognised some twenty times.
public struct EngineConformance: ConformanceSuite {
    /// The engine.
    public var engine: any SpeechEngine
    /// Audio in which the engine understands something, in the engine's format and in order. An engine with volatile results
    /// must show some before all of it is final, however long the buffers are.
    public var audio: [AudioBuffer]
    /// What is asked of the engine. Within their deadline the engine must be able to recognise all of the audio.
    public var options: RecognitionOptions
    /// How long something may take that should happen at once.
    public var responseTimeout: Duration
    /// The deadline where the suite wants to see it run out.
    public var shortTimeout: Duration
    /// Where the ways of cutting the audio are drawn from.
    public var seed: UInt64
    /// An engine whose sessions fail with an error of their own somewhere in the audio.
    public var failing: (any SpeechEngine)?
    /// An engine whose sessions get stuck somewhere in the audio and never come back.
    public var stalling: (any SpeechEngine)?

    /// Makes a suite for an engine.
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
    public func run() async throws(DictationError) -> ConformanceReport<EngineClause> {
        let check = try await EngineCheck(self)
        try await check.run()
        return check.findings.report(on: "The engine '\(engine.name)'")
    }
}
