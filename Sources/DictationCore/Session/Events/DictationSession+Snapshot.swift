extension DictationSession {
    /// The state of a session at one moment: everything that a user interface needs to show it.
    ///
    /// Apply each event to keep the snapshot up to date:
    ///
    ///     var shown = DictationSession.Snapshot()
    ///     for await event in session.events() {
    ///         shown.apply(event)
    ///         print(shown.state, shown.transcript.text, shown.elapsed)
    ///     }
    public struct Snapshot: Sendable, Hashable {
        /// The current take, or the last one.
        public var take: TakeID
        /// The state.
        public var state: DictationSession.State
        /// The final text so far.
        public var transcript: Transcript
        /// The text that may still change.
        public var volatileTail: [SpeechResult]
        /// The length of the take's audio.
        public var elapsed: Duration
        /// Whether audio has arrived since recording began or went on. Only then invite the user to speak.
        public var hasAudio: Bool
        /// The loudness of the newest audio.
        public var level: AudioLevel
        /// The condition of the input; `nil` while nothing is recorded.
        public var input: DictationSession.InputCondition?
        /// Why the microphone delivers no audio; `nil` while it delivers some.
        public var interruption: CaptureEvent.InterruptionCause?
        /// Whether the engine is ready for this take. It is `false` again once the take ends.
        public var isEngineReady: Bool

        /// Creates a snapshot; the defaults describe a session without a take.
        public init(
            take: TakeID = TakeID(number: 0), state: DictationSession.State = .idle,
            transcript: Transcript = Transcript(),
            volatileTail: [SpeechResult] = [], elapsed: Duration = .zero, hasAudio: Bool = false,
            level: AudioLevel = .silence, input: DictationSession.InputCondition? = nil,
            interruption: CaptureEvent.InterruptionCause? = nil,
            isEngineReady: Bool = false
        ) {
            self.take = take
            self.state = state
            self.transcript = transcript
            self.volatileTail = volatileTail
            self.elapsed = elapsed
            self.hasAudio = hasAudio
            self.level = level
            self.input = input
            self.interruption = interruption
            self.isEngineReady = isEngineReady
        }

        /// Updates the snapshot with an event. The end of an earlier take changes nothing.
        public mutating func apply(_ event: DictationEvent) {
            if case .snapshot(let snapshot) = event.kind {
                self = snapshot
                return
            }
            guard event.take >= take else { return }
            if event.take > take {
                let transcript = Transcript(locale: transcript.locale, take: event.take)
                self = DictationSession.Snapshot(take: event.take, state: state, transcript: transcript)
            }
            let isAudio = event.elapsed > elapsed && !event.kind.isGap
            elapsed = event.elapsed
            apply(event.kind)
            hasAudio = state == .recording && (hasAudio || isAudio)
        }

        private mutating func apply(_ kind: DictationEvent.Kind) {
            switch kind {
            case .state(let state): self.state = state
            case .engineReady: isEngineReady = true
            case .text(let change):
                transcript.segments += change.finalResults
                volatileTail = change.volatileTail
            case .level(let level): self.level = level
            case .input(let input): self.input = input
            case .gap(let gap): transcript.gaps.append(gap)
            case .interrupted(let cause): (interruption, level) = (cause, .silence)
            case .resumed: interruption = nil
            case .ended(let transcript): end(with: transcript)
            case .cancelled: end(with: Transcript(locale: transcript.locale, take: take))
            case .snapshot, .routeChanged, .spoolFailed, .engineInterrupted, .turnEnded: break
            }
            // The last audio before a pause is reported after it, and no longer describes the microphone.
            if state != .recording { (level, input, interruption) = (.silence, nil, nil) }
        }

        /// Keeps the transcript and resets everything that describes a running take.
        private mutating func end(with transcript: Transcript) {
            self.transcript = transcript
            volatileTail = []
            isEngineReady = false
            (level, input, interruption) = (.silence, nil, nil)
        }
    }
}

extension DictationEvent.Kind {
    fileprivate var isGap: Bool { if case .gap = self { true } else { false } }
}
