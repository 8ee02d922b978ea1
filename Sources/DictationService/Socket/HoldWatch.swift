/// Decides whether the holder of a take is still there. A pure value: its owner keeps the time.
///
/// A stopped client keeps its connection, as with Ctrl-Z or in a debugger, and would leave the microphone on. So a client that
/// can answer is pinged at intervals. A client that can't, such as a script, holds a take for a limited time.
struct HoldWatch {
    enum Step: Hashable {
        case ping
        /// Ends the hold.
        case end
    }

    /// How many pings in a row may stay unanswered. More than one, because a computer that wakes up has missed some.
    static let patience = 2
    let answersPings: Bool
    private var unanswered = 0

    init(answersPings: Bool) { self.answersPings = answersPings }

    /// Returns what to do at the end of an interval.
    mutating func next() -> Step {
        guard answersPings, unanswered < Self.patience else { return .end }
        unanswered += 1
        return .ping
    }

    /// Notes an answer.
    mutating func pong() { unanswered = 0 }
}
