public import DictationCore

// Converters are right by default: with the trait `SampleRate` audio of any rate is taken, without it any of the
// engine's rate.

extension DictationSession {
    /// Makes a session that converts whatever the microphone gives, with the best converters of this build.
    public convenience init(
        engine: any SpeechEngine, capturer: any AudioCapturer, spool: (any AudioSpool)? = nil,
        configuration: DictationConfiguration = DictationConfiguration()
    ) {
        self.init(
            engine: engine, capturer: capturer, converters: bestConverters(), spool: spool,
            configuration: configuration)
    }
}

extension SpeechEngine {
    /// Turns a recording into text, whatever its format, with the best converters of this build.
    ///
    /// An engine that is `ParallelTranscribing` uses as many cores as there are workers; any other one uses one.
    public func transcribe(
        _ source: any AudioCapturer, options: RecognitionOptions = .fileTranscription(),
        capture: CaptureOptions = CaptureOptions(), workers: Int = 1
    ) -> Transcription {
        transcribe(source, options: options, converters: bestConverters(), capture: capture, workers: workers)
    }
}

private func bestConverters() -> any FormatConverterProvider {
    #if SampleRate
    SampleRateConverters()
    #else
    BasicConverters()
    #endif
}
