/// A dictation service that a ``DictationModel`` shows and asks, usually in another process.
package protocol FollowedService: Sendable {
    /// Starts a take, or returns the one that is under way.
    func start() async throws(DictationError) -> TakeID
    /// Stops the take and returns its text; `nil` if there is none.
    func stop() async throws(DictationError) -> Transcript?
    func cancel() async throws(DictationError)
    func pause() async throws(DictationError)
    func resume() async throws(DictationError)
    /// Returns the present state, and then its changes. The newest counts, and the sequence ends with its task.
    func states() -> AsyncStream<FollowedState>
}

/// What a service shows at one moment.
package struct FollowedState: Sendable {
    package var take: TakeID
    package var state: DictationSession.State
    package var locale: SpeechLocale
    package var finalText = ""
    package var stableText = ""
    package var changingText = ""
    package var level = Decibels.silence
    package var elapsed = Duration.zero
    package var hasAudio = false
    package var isEngineReady = false
    package var input: DictationSession.InputCondition?
    package var interruption: CaptureEvent.InterruptionCause?
    package var error: DictationError?

    package init(take: TakeID, state: DictationSession.State, locale: SpeechLocale) {
        (self.take, self.state, self.locale) = (take, state, locale)
    }
}
