public import DictationCore

// These defaults convert any sample rate with the trait `SampleRate`. Without it, the audio must have the engine's
// rate.

extension DictationSession {
    /// Creates a session that converts the microphone's audio with the best converters of this build.
    ///
    /// With the trait `SampleRate` the microphone may have any sample rate. Without it, the rate must be the engine's.
    ///
    /// - Parameters:
    ///   - engine: The engine that turns audio into text.
    ///   - capturer: The microphone or file to capture from.
    ///   - spool: Where to save audio until its text is safe, or `nil` to save none.
    ///   - configuration: The session's settings.
    public convenience init(
        engine: any SpeechEngine, capturer: any AudioCapturer, spool: (any AudioSpool)? = nil,
        configuration: DictationSession.Configuration = DictationSession.Configuration()
    ) {
        self.init(
            engine: engine, capturer: capturer, converters: bestConverters(), spool: spool,
            configuration: configuration)
    }
}

extension SpeechEngine {
    /// Turns a recording of any format into text, with the best converters of this build.
    ///
    /// - Parameters:
    ///   - source: The recording, usually a ``FileCapturer``.
    ///   - options: How to recognize speech; `nil` for the engine's `transcriptionOptions`.
    ///   - capture: How to capture the audio.
    ///   - workers: How many cores to use. Only an engine that is `ParallelTranscribing` uses more than one.
    /// - Returns: The results as they arrive, and the whole text at the end.
    public func transcribe(
        _ source: any AudioCapturer, options: RecognitionOptions? = nil,
        capture: CaptureOptions = CaptureOptions(), workers: Int = 1
    ) -> Transcription {
        transcribe(source, options: options, converters: bestConverters(), capture: capture, workers: workers)
    }
}

/// Returns the best converters of this build.
package func bestConverters() -> any FormatConverterProvider {
    #if SampleRate
    SampleRateConverter.Provider()
    #else
    BasicConverter.Provider()
    #endif
}
