/// What a take is told, what it asks for, and the phases that it goes through.
extension TakeMachine {
    enum Event: Sendable {
        case pause, resume, stop
        case cancel(keepsAudio: Bool)
        /// No earlier take holds the microphone.
        case microphoneIsFree
        case opened(Int, Result<CaptureStream, DictationError>)
        case streamEnded(Int, Result<Void, DictationError>)
        case closed(Int)
        /// The take has the length, or the silence, at which it stops by itself.
        case longEnough
        case engineReady(any RecognitionSession)
        /// The engine has taken all audio before the end of a phrase.
        case phraseTaken
        case engineEnded(Result<FinalizationOutcome, DictationError>)
        case spoolClosed
        case expired(Timer, Int)
    }

    enum Timer: Sendable {
        /// How long the microphone may take to open, all attempts together.
        case opening
        /// The pause before the next attempt.
        case retry
        /// What is still captured after a stop.
        case tail
        /// How long closing the microphone may take, and then how long the stream may take to end.
        case closing
        /// How long a stop may take.
        case ending
        /// How long cleaning up may take.
        case cleaning
    }

    enum Action: Sendable {
        case awaitMicrophone
        case open(Int)
        case read(CaptureStream, Int)
        case stopReading(Int)
        case close(Int, CaptureStopMode)
        /// The microphone opened after nobody waited for it any more.
        case closeLate
        /// What was captured so far becomes final.
        case finishPhrase
        case finalize(any RecognitionSession)
        case endInput
        case start(Timer, Int, Duration)
        case cancel(Timer)
        case report(SessionMachine.Report)
        /// The text is final as it is.
        case conclude
        case endEngine((any RecognitionSession)?)
        case closeSpool(isTextSafe: Bool)
    }

    /// The microphone's side.
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
        /// Whether the microphone was given up before it was open; then there is no stream to wait for.
        let isGivenUp: Bool
        var isClosed = false
        /// Whether the stream has ended, or there is none.
        var hasEnded = false
    }

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
        /// No more audio is wanted; the engine makes its text final. Nobody need have asked for it yet.
        case draining(isAskedFor: Bool)
        case concluded
        case cancelled
    }
}
