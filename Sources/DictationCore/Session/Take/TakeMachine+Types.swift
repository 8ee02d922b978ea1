/// The events, timers, actions and phases of a take.
extension TakeMachine {
    enum Event: Sendable {
        case pause, resume, stop
        case cancel(keepsAudio: Bool)
        /// No earlier take holds the microphone.
        case microphoneIsFree
        case opened(Int, Result<CaptureStream, DictationError>)
        case streamEnded(Int, Result<Void, DictationError>)
        case closed(Int)
        /// The take has reached the length or the silence at which it stops by itself.
        case longEnough
        case engineReady(any RecognitionSession)
        /// The engine has read all audio before the end of a phrase.
        case phraseTaken
        case engineEnded(Result<FinalizationOutcome, DictationError>)
        case spoolClosed
        case expired(Timer, Int)
    }

    enum Timer: Sendable {
        /// Limits how long the microphone may take to open, all attempts together.
        case opening
        /// Waits before the next attempt to open the microphone.
        case retry
        /// Captures a little more audio after a stop.
        case tail
        /// Limits how long the microphone may take to close, and then how long the stream may take to end.
        case closing
        /// Limits how long a stop may take.
        case ending
        /// Limits how long the clean-up may take.
        case cleaning
    }

    enum Action: Sendable {
        case awaitMicrophone
        case open(Int)
        case read(CaptureStream, Int)
        case stopReading(Int)
        case close(Int, CaptureOptions.StopMode)
        /// Closes a microphone that opened after the take had given it up.
        case closeLate
        /// Ends the phrase, so that the text so far becomes final.
        case finishPhrase
        case finalize(any RecognitionSession)
        case endInput
        case start(Timer, Int, Duration)
        case cancel(Timer)
        case report(SessionMachine.Report)
        /// Ends the take with the text as it is.
        case conclude
        case endEngine((any RecognitionSession)?)
        case closeSpool(isTextSafe: Bool)
    }

    /// The phase of the microphone.
    enum Capture: Sendable {
        case waiting
        case opening(Opening)
        case retrying(Opening, after: DictationError)
        case open(Int)
        case tail(Int)
        case closing(Closing)
        case paused
        case released
    }

    struct Opening: Sendable {
        var attempt: Int
        var failures = 0
    }

    struct Closing: Sendable {
        let attempt: Int
        /// Whether the take gave the microphone up before it was open, so that it has no stream to wait for.
        let isGivenUp: Bool
        var isClosed = false
        /// Whether the stream has ended or never existed.
        var hasEnded = false
        var next = Next.rest

        /// What follows in a take that goes on.
        enum Next: Sendable { case rest, reopen }
    }

    /// How much of its source a take has.
    enum Coverage: Sendable {
        /// The source goes on.
        case open
        /// The source ended by itself, and all of its audio was read.
        case complete
        /// The take left a stream before its end and may have missed audio.
        case cutShort
    }

    /// The clean-up of a take that is over.
    enum Cleanup: Sendable { case pending, spoolClosed, settled }

    enum Engine: Sendable {
        case warming
        case ready(any RecognitionSession)
        case ended(Result<FinalizationOutcome, DictationError>, (any RecognitionSession)?)

        var session: (any RecognitionSession)? {
            switch self {
            case .warming: nil
            case .ready(let session): session
            case .ended(_, let session): session
            }
        }
    }

    enum Ending: Sendable {
        case none
        /// The take records no more audio, and the engine makes its text final. `isAskedFor` is `false` while the take
        /// ends by itself and nobody has stopped it.
        case draining(isAskedFor: Bool)
        case concluded
        case cancelled
    }
}
