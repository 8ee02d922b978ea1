/// What a session does in which state: a value with no clock, no task and no lock.
///
/// Commands come from the app, reports from takes. A report of any take but the current one changes nothing.
struct SessionMachine: Sendable {
    enum Command { case start, stop, cancel, pause, resume, retry }

    enum Report {
        /// The microphone is open.
        case capturing
        /// The take takes no more audio: its source ended, it was long enough, or something failed.
        case ending
        /// The take is over.
        case done(DictationError?)
    }

    enum Effect: Hashable {
        case open(TakeID)
        case pause(TakeID)
        case resume(TakeID)
        case retry(TakeID)
        case drain(TakeID)
        case abandon(TakeID)
    }

    private(set) var state = DictationState.idle
    private(set) var take = TakeID(number: 0)

    mutating func handle(_ command: Command) -> Effect? {
        switch (command, state) {
        case (.start, .idle), (.start, .failed), (.start, .finalizing):
            // A take that is still finalizing goes on by itself; its text goes to whoever stopped it.
            take = TakeID(number: take.number + 1)
            state = .starting
            return .open(take)
        case (.retry, .idle), (.retry, .failed):
            // Nothing is captured: as far as the app can see the take is finalizing from the first moment.
            take = TakeID(number: take.number + 1)
            state = .finalizing
            return .retry(take)
        case (.start, .paused), (.resume, .paused):
            state = .starting
            return .resume(take)
        case (.pause, .starting), (.pause, .recording):
            state = .paused
            return .pause(take)
        case (.stop, .starting), (.stop, .recording), (.stop, .paused):
            state = .finalizing
            return .drain(take)
        case (.cancel, .starting), (.cancel, .recording), (.cancel, .paused), (.cancel, .finalizing):
            state = .idle
            return .abandon(take)
        case (.stop, .finalizing):
            // A take that ends by itself may have longer than a stop.
            return .drain(take)
        case (.stop, .failed), (.cancel, .failed):
            state = .idle
            return nil
        case (.start, _), (.stop, _), (.cancel, _), (.pause, _), (.resume, _), (.retry, _):
            return nil
        }
    }

    mutating func handle(_ report: Report, from reporter: TakeID) {
        guard reporter == take else { return }
        switch (report, state) {
        case (.capturing, .starting): state = .recording
        case (.ending, .starting), (.ending, .recording), (.ending, .paused): state = .finalizing
        case (.done(let error), .starting), (.done(let error), .recording), (.done(let error), .paused),
            (.done(let error), .finalizing):
            state = error.map { .failed($0) } ?? .idle
        default: break
        }
    }
}
