import DictationCore

/// Tells whether a helper with work does it: a value without a clock. A helper without work is left alone.
struct HelperWatch: Sendable {
    /// What to do about a helper.
    enum Step: Sendable, Equatable {
        case nothing
        /// Ask it for a sign of life.
        case ping
        /// It does not answer, or does not get on.
        case kill
    }

    private enum State {
        /// Nobody looks, because there is no work.
        case idle
        /// - Parameters:
        ///   - pieces: How much of its work has not ended. With none, nobody looks any more from the next look on.
        ///   - progress: The time of its last result, or when it got work.
        ///   - ping: When it was asked for a sign of life, if it has given none since.
        case working(pieces: Int, progress: Duration, ping: Duration?)
    }

    private let limits: HelperProcess.Limits
    private var state = State.idle

    init(_ limits: HelperProcess.Limits) { self.limits = limits }

    /// Whether somebody has to look from time to time.
    var isNeeded: Bool { if case .idle = state { false } else { true } }

    /// The helper has one more piece of work.
    ///
    /// - Returns: Whether nobody looked until now.
    mutating func beginWork(at now: Duration) -> Bool {
        guard case .working(let pieces, let progress, let ping) = state else {
            state = .working(pieces: 1, progress: now, ping: nil)
            return true
        }
        state =
            pieces == 0
            ? .working(pieces: 1, progress: now, ping: nil)
            : .working(pieces: pieces + 1, progress: progress, ping: ping)
        return false
    }

    /// A piece of work has ended.
    mutating func endWork() {
        guard case .working(let pieces, let progress, let ping) = state else { return }
        state = .working(pieces: max(0, pieces - 1), progress: progress, ping: ping)
    }

    /// The helper has said something.
    mutating func hear(isProgress: Bool, at now: Duration) {
        guard case .working(let pieces, let progress, _) = state else { return }
        state = .working(pieces: pieces, progress: isProgress ? now : progress, ping: nil)
    }

    /// Looks at the helper.
    mutating func look(at now: Duration) -> Step {
        guard case .working(let pieces, let progress, let ping) = state else { return .nothing }
        if pieces == 0 {
            state = .idle
            return .nothing
        }
        if now - progress > limits.progress { return .kill }
        if let ping { return now - ping > limits.response ? .kill : .nothing }
        state = .working(pieces: pieces, progress: progress, ping: now)
        return .ping
    }
}
