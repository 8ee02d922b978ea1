/// The state machine of a session: a value with no clock, no task and no lock.
///
/// The app sends commands, and takes send reports. Only the current take's reports have an effect.
package struct SessionMachine: Sendable {
    package enum Command { case start, stop, cancel, pause, resume, retry }

    enum Report {
        /// The microphone is open.
        case capturing
        /// The take records no more audio: its source ended, it is long enough, or something failed.
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

    package private(set) var state = DictationSession.State.idle
    package private(set) var take = TakeID(number: 0)

    mutating func handle(_ command: Command) -> Effect? {
        switch (command, state) {
        case (.start, .idle), (.start, .failed), (.start, .finalizing):
            // A take that is still finalizing continues beside the new one. Its `stop()` returns its text.
            take = TakeID(number: take.number + 1)
            state = .starting
            return .open(take)
        case (.retry, .idle), (.retry, .failed):
            // A retry captures nothing, so the app sees it as finalizing from its beginning.
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
            // A take that ends by itself may take longer than `stopTimeout`, so a stop now must limit it.
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
