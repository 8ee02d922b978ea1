/// The state machine of a take: a value with no clock, no task and no lock.
///
/// Capture, engine and ending each have a phase. An event changes the phases and returns the resulting actions. An
/// event that comes too late changes nothing. Time limits are timers, so a call that hangs does not block the take.
struct TakeMachine: Sendable {
    /// How long a microphone may take to close, and a take to clean up, before the session stops waiting for it.
    static let closeTimeout = Duration.seconds(2)

    private let limits: DictationSession.Configuration
    /// How long the engine may take to finish a take that ends by itself.
    private let ownEndTimeout: Duration
    private(set) var capture = Capture.waiting
    private(set) var engine = Engine.warming
    private(set) var ending = Ending.none
    private(set) var error: DictationError?
    /// How much of the source the take has.
    private var coverage = Coverage.open
    private var cleanup = Cleanup.pending
    /// Whether the audio stays in the spool until the text is complete, even when the take is cancelled.
    private(set) var keepsAudio: Bool
    /// Whether the take has any audio.
    var hasAudio = false
    private var attempts = 0
    private var timers: [Timer: Int] = [:]
    private var timerCount = 0

    init(_ limits: DictationSession.Configuration, keepsAudio: Bool, ownEndTimeout: Duration? = nil) {
        self.limits = limits
        self.ownEndTimeout = ownEndTimeout ?? limits.stopTimeout
        self.keepsAudio = keepsAudio
    }

    var isOver: Bool {
        switch ending {
        case .concluded, .cancelled: true
        case .none, .draining: false
        }
    }

    var isEnding: Bool { if case .none = ending { false } else { true } }
    var isCancelled: Bool { if case .cancelled = ending { true } else { false } }

    /// Whether the microphone is open and wanted, and the engine ready.
    var isUp: Bool {
        if case .open = capture, case .ready = engine { true } else { false }
    }

    var isReleased: Bool { if case .released = capture { true } else { false } }
    var isEngineReady: Bool { engine.session != nil }
    var isEngineDone: Bool { if case .ended(.success(.complete), _) = engine { true } else { false } }
    var hasEngineFailed: Bool { if case .ended(.failure, _) = engine { true } else { false } }

    /// Whether the app wants to record rather than pause.
    var wantsAudio: Bool {
        switch capture {
        case .paused: false
        case .closing(let closing): closing.next == .reopen
        case .waiting, .opening, .retrying, .open, .tail, .released: true
        }
    }

    /// Whether the take left a stream before its end and may have missed audio.
    var isCutShort: Bool { coverage == .cutShort }
    /// Whether the source ended by itself, so that all of its audio was read.
    var hasSourceEnded: Bool { coverage == .complete }
    var isSettled: Bool { cleanup == .settled }

    /// The stream whose audio belongs to the take.
    var stream: Int? {
        switch capture {
        case .open(let number), .tail(let number): number
        case .closing(let closing): closing.isGivenUp ? nil : closing.attempt
        case .waiting, .opening, .retrying, .paused, .released: nil
        }
    }

    mutating func handle(_ event: Event) -> [Action] {
        let actions = follow(event)
        return actions + settle()
    }

    private mutating func follow(_ event: Event) -> [Action] {
        switch event {
        case .pause: pause()
        case .resume: resume()
        case .stop: stop()
        case .longEnough: drain()
        case .cancel(let keepsAudio): cancel(keepsAudio: keepsAudio)
        case .microphoneIsFree: microphoneIsFree()
        case .opened(let attempt, let result): opened(attempt, result)
        case .streamEnded(let number, let result): streamEnded(number, result)
        case .closed(let attempt): closed(attempt)
        case .engineReady(let session): engineReady(session)
        case .engineEnded(let result): engineEnded(result)
        case .phraseTaken: phraseTaken()
        case .spoolClosed: spoolClosed()
        case .expired(let timer, let number): timers[timer] == number ? expired(timer) : []
        }
    }

    // MARK: Commands

    private mutating func pause() -> [Action] {
        guard case .none = ending, wantsAudio else { return [] }
        return letGo()
    }

    private mutating func resume() -> [Action] {
        guard case .none = ending else { return [] }
        switch capture {
        case .closing(var closing):
            closing.next = .reopen
            capture = .closing(closing)
            return []
        case .paused:
            capture = .waiting
            return [.awaitMicrophone]
        default: return []
        }
    }

    private mutating func stop() -> [Action] {
        if case .draining(isAskedFor: false) = ending {
            ending = .draining(isAskedFor: true)
            return [start(.ending, limits.stopTimeout)]
        }
        return drain(isAskedFor: true)
    }

    /// Ends the recording, unless it is ending already. The engine has until the limit to make its text final.
    private mutating func drain(isAskedFor: Bool = false, because failure: DictationError? = nil) -> [Action] {
        if let failure { note(failure) }
        guard case .none = ending else { return [] }
        ending = .draining(isAskedFor: isAskedFor)
        let limit = isAskedFor ? limits.stopTimeout : ownEndTimeout
        var actions = [Action.report(.ending), start(.ending, limit)]
        if case .open(let number) = capture, isAskedFor, limits.tail > .zero {
            capture = .tail(number)
            actions.append(start(.tail, limits.tail))
        } else {
            actions += letGo()
        }
        return actions + concludeWhenDone()
    }

    private mutating func cancel(keepsAudio: Bool) -> [Action] {
        guard !isOver else { return [] }
        if keepsAudio { self.keepsAudio = true }
        ending = .cancelled
        return letGo() + finish(isTextSafe: !self.keepsAudio)
    }

    // MARK: The microphone

    /// Ends capture in any phase. Its last phase is paused or, at the end of the take, released.
    private mutating func letGo() -> [Action] {
        switch capture {
        case .waiting, .paused: rest()
        case .retrying: [cancel(.retry), cancel(.opening)] + rest()
        case .opening(let opening): [cancel(.opening)] + close(opening.attempt, isGivenUp: true)
        case .open(let number): close(number)
        case .tail(let number): [cancel(.tail)] + close(number)
        case .closing(let closing): rest(after: closing)
        case .released: []
        }
    }

    private mutating func rest(after closing: Closing) -> [Action] {
        var closing = closing
        closing.next = .rest
        capture = .closing(closing)
        return []
    }

    private mutating func rest() -> [Action] {
        if case .none = ending {
            capture = .paused
            return []
        }
        capture = .released
        return [.endInput]
    }

    private mutating func close(_ attempt: Int, isGivenUp: Bool = false, hasEnded: Bool = false) -> [Action] {
        capture = .closing(Closing(attempt: attempt, isGivenUp: isGivenUp, hasEnded: hasEnded || isGivenUp))
        return [.close(attempt, isGivenUp ? .full : limits.stopMode), start(.closing, Self.closeTimeout)]
    }

    private mutating func microphoneIsFree() -> [Action] {
        guard case .waiting = capture else { return [] }
        let first = Opening(attempt: attempts)
        return [start(.opening, limits.openTimeout)] + open(first)
    }

    private mutating func open(_ opening: Opening) -> [Action] {
        attempts += 1
        capture = .opening(Opening(attempt: attempts, failures: opening.failures))
        return [.open(attempts)]
    }

    private mutating func opened(_ attempt: Int, _ result: Result<CaptureStream, DictationError>) -> [Action] {
        switch (capture, result) {
        case (.opening(let opening), .success(let stream)) where opening.attempt == attempt:
            capture = .open(attempt)
            return [cancel(.opening), .read(stream, attempt), .report(.capturing)]
        case (.opening(let opening), .failure(let error)) where opening.attempt == attempt:
            if error.isTransient || error.code == .alreadyRunning {
                let next = Opening(attempt: attempt, failures: opening.failures + 1)
                let backOff = BackOff(first: limits.retryDelay, longest: .longestWait)
                capture = .retrying(next, after: error)
                return [start(.retry, backOff.delay(afterFailures: next.failures))]
            }
            capture = .paused
            return [cancel(.opening)] + drain(because: error)
        // The take gave this attempt up and told the capturer to stop, but the microphone opened all the same.
        case (_, .success): return [.closeLate]
        case (_, .failure): return []
        }
    }

    private mutating func streamEnded(_ number: Int, _ result: Result<Void, DictationError>) -> [Action] {
        var failure: DictationError?
        if case .failure(let error) = result { failure = error }
        switch capture {
        case .open(number):
            if failure == nil, coverage == .open { coverage = .complete }
            return close(number, hasEnded: true) + drain(because: failure)
        case .tail(number):
            if let failure { note(failure) }
            return [cancel(.tail)] + close(number, hasEnded: true)
        case .closing(var closing) where closing.attempt == number && !closing.isGivenUp:
            if let failure {
                // A paused take continues without the rest of the failed stream.
                if case .none = ending { coverage = .cutShort } else { note(failure) }
            }
            closing.hasEnded = true
            capture = .closing(closing)
            return restWhenClosed()
        default: return []
        }
    }

    private mutating func closed(_ attempt: Int) -> [Action] {
        guard case .closing(var closing) = capture, closing.attempt == attempt, !closing.isClosed else { return [] }
        closing.isClosed = true
        capture = .closing(closing)
        return closing.hasEnded ? restWhenClosed() : [start(.closing, Self.closeTimeout)]
    }

    private mutating func restWhenClosed() -> [Action] {
        guard case .closing(let closing) = capture, closing.isClosed, closing.hasEnded else { return [] }
        return leave(closing)
    }

    /// Continues after the microphone was closed, or after its time limit.
    private mutating func leave(_ closing: Closing) -> [Action] {
        var actions = [cancel(.closing), .stopReading(closing.attempt)]
        if case .none = ending, !closing.isGivenUp { actions.append(.finishPhrase) }
        capture = .paused
        if case .none = ending, closing.next == .reopen {
            capture = .waiting
            return actions + [.awaitMicrophone]
        }
        return actions + rest() + concludeWhenDone()
    }

    // MARK: The engine

    private mutating func engineReady(_ session: any RecognitionSession) -> [Action] {
        guard !isOver, case .warming = engine else { return [] }
        engine = .ready(session)
        return []
    }

    private func phraseTaken() -> [Action] {
        if case .ready(let session) = engine, !isOver { [.finalize(session)] } else { [] }
    }

    private mutating func engineEnded(_ result: Result<FinalizationOutcome, DictationError>) -> [Action] {
        if case .ended = engine { return [] }
        engine = .ended(result, engine.session)
        guard !isOver else { return [] }
        var failure: DictationError?
        if case .failure(let error) = result { failure = error }
        if case .none = ending { return drain(because: failure) }
        if let failure { note(failure) }
        // No engine is left to recognize the tail.
        if case .tail = capture { return letGo() }
        return concludeWhenDone()
    }

    // MARK: The end

    private mutating func concludeWhenDone() -> [Action] {
        guard case .draining = ending, isReleased else { return [] }
        if hasAudio, case .ended = engine { return conclude() }
        return hasAudio ? [] : conclude()
    }

    private mutating func conclude() -> [Action] {
        let rest = letGo()
        ending = .concluded
        return rest + [.conclude]
    }

    /// Returns the clean-up actions after the take's text is known or the take is cancelled.
    mutating func finish(isTextSafe: Bool) -> [Action] {
        [
            cancel(.ending), .endInput, .endEngine(engine.session), .closeSpool(isTextSafe: isTextSafe),
            start(.cleaning, Self.closeTimeout),
        ]
    }

    private mutating func spoolClosed() -> [Action] {
        if cleanup == .pending { cleanup = .spoolClosed }
        return []
    }

    private mutating func settle() -> [Action] {
        guard isOver, isReleased, cleanup == .spoolClosed else { return [] }
        cleanup = .settled
        return [cancel(.cleaning)]
    }

    // MARK: Timers

    private mutating func expired(_ timer: Timer) -> [Action] {
        timers[timer] = nil
        switch (timer, capture) {
        case (.opening, .opening):
            return letGo() + drain(because: .openTimedOut(limits.openTimeout))
        case (.opening, .retrying(_, let error)):
            capture = .paused
            return [cancel(.retry)] + drain(because: error)
        case (.retry, .retrying(let opening, _)): return open(opening)
        case (.tail, .tail): return letGo()
        case (.closing, .closing(let closing)):
            if !closing.hasEnded { coverage = .cutShort }
            return leave(closing)
        case (.ending, _):
            if case .draining = ending { return conclude() }
            return []
        case (.cleaning, _):
            cleanup = .settled
            return []
        default: return []
        }
    }

    private mutating func start(_ timer: Timer, _ duration: Duration) -> Action {
        timerCount += 1
        timers[timer] = timerCount
        return .start(timer, timerCount, duration)
    }

    private mutating func cancel(_ timer: Timer) -> Action {
        timers[timer] = nil
        return .cancel(timer)
    }

    private mutating func note(_ failure: DictationError) { if error == nil { error = failure } }
}

extension DictationError {
    fileprivate static func openTimedOut(_ limit: Duration) -> DictationError {
        DictationError(
            .timedOut, "The microphone did not open within \(limit).",
            recovery: "Check that no other program uses it and that the sound server runs, or raise “openTimeout”."
        )
    }
}
