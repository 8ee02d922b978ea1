import DictationCore

/// Says when to recognize the current piece again for a volatile result, and how much of it.
///
/// While someone speaks, a look recognizes the last part of the piece. In a pause it shows the last words. In a pause that
/// may end the utterance, it recognizes the whole piece, and its text is the final text if nothing more is said. A slow
/// model looks more rarely, so that it has most of the time for the final text.
struct LookSchedule: Sendable {
    enum Extent: Sendable {
        /// The last part of the piece.
        case part
        /// The whole piece.
        case whole
    }

    private static let shortQuiet = Duration.milliseconds(300)
    private static let longQuiet = Duration.milliseconds(900)
    private static let leastSpeech = Duration.milliseconds(250)
    private static let leastNews = Duration.milliseconds(400)
    /// The least time from the beginning of a look to the next one, in the time that the look took.
    private static let rest = 4

    /// The length of the piece at the last look, and the time when that began.
    private var length = Duration.zero
    private var began = Duration.zero
    /// The time that the last look at a part took.
    private var cost = Duration.zero
    /// The ends of the speech at the last looks in a pause, and at the whole piece in a pause.
    private var pausedAt: Duration?
    private var wholeAt: Duration?

    /// Whether a word has ended. The model gets this much of the background after it.
    static func isPause(_ heard: PauseCutter.Heard) -> Bool { heard.speech != nil && heard.quiet >= shortQuiet }

    /// Returns how much of the piece is to be recognized now; `nil` if nothing is.
    func due(_ heard: PauseCutter.Heard, now: Duration) -> Extent? {
        guard let speech = heard.speech else { return nil }
        if heard.quiet >= Self.longQuiet, wholeAt != speech.upperBound { return .whole }
        if Self.isPause(heard) { return pausedAt == speech.upperBound ? nil : .part }
        let isNew = speech.upperBound > length && heard.length - speech.lowerBound >= Self.leastSpeech
        let isTime = heard.length - length >= max(Self.leastNews, cost * Self.rest) && now - began >= cost * Self.rest
        return isNew && (isTime || length == .zero) ? .part : nil
    }

    /// Notes that a look begins.
    mutating func begin(_ heard: PauseCutter.Heard, isWhole: Bool, now: Duration) {
        (length, began) = (heard.length, now)
        guard Self.isPause(heard) else { return }
        pausedAt = heard.speech?.upperBound
        if isWhole { wholeAt = pausedAt }
    }

    /// Notes how long a look at a part took.
    mutating func end(after time: Duration) { cost = time }
}
