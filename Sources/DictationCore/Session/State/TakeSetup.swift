/// What a take is made with.
package struct TakeSetup: Sendable {
    /// The engine that recognizes the speech.
    package var engine: any SpeechEngine
    /// The options and time limits.
    package var configuration: DictationSession.Configuration
    /// Keeps the audio until the text is complete; `nil` keeps no audio.
    package var spool: (any AudioSpool)?

    package init(engine: any SpeechEngine, configuration: DictationSession.Configuration, spool: (any AudioSpool)?) {
        self.engine = engine
        self.configuration = configuration
        self.spool = spool
    }
}
