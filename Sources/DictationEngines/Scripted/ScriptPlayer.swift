import DictationCore

/// The position in a script, and the events that audio causes. A value without a clock and without a lock.
struct ScriptPlayer {
    enum Event {
        case emit([SpeechUpdate])
        case stall(Duration?)
        case fail(DictationError)
    }

    private let timed: [ScriptedEngine.Script.Step]
    private var untimed: ArraySlice<ScriptedEngine.Script.Step>
    private let period: Duration?
    private var index = 0
    private var offset: Duration = .zero

    /// The start of the current text.
    private var segmentStart: Duration = .zero
    /// The number of its words that became final before the script's final text, because the caller asked.
    private var settledWords = 0
    private var watermark: Duration = .zero
    private var live: [SpeechResult] = []

    /// The rounding error of audio times, which are long sums.
    private static let slack: Duration = .nanoseconds(1)

    init(_ script: ScriptedEngine.Script) {
        let steps = script.steps.filter { !$0.isRepeat && !$0.isAboutTheWhole }
        let inOrder = steps.enumerated().filter { $0.element.time != nil }
            .sorted { ($0.element.time ?? .zero, $0.offset) < ($1.element.time ?? .zero, $1.offset) }
        timed = inOrder.map(\.element)
        untimed = steps.filter { $0.time == nil }[...]
        period = script.period
    }

    /// Returns the next event up to a time, or `nil` if there is none.
    mutating func next(through time: Duration) -> Event? {
        while let (step, due) = upcoming, due <= time + Self.slack {
            index += 1
            if let event = perform(step, at: due) { return event }
        }
        return nil
    }

    /// Returns the events that make everything through a time final.
    mutating func finalize(through time: Duration) -> [Event] {
        var events: [Event] = []
        if time > watermark {
            while let step = untimed.popFirst() {
                if let event = perform(step, at: time) { events.append(event) }
            }
        }
        settledWords += live.reduce(0) { $0 + Self.words(of: $1.text).count }
        events.append(.emit(settleLive()))
        watermark = max(watermark, time)
        return events
    }

    private var upcoming: (ScriptedEngine.Script.Step, due: Duration)? {
        mutating get {
            if index == timed.count, let period, !timed.isEmpty {
                index = 0
                offset += period
            }
            guard index < timed.count else { return nil }
            return (timed[index], offset + (timed[index].time ?? .zero))
        }
    }

    private mutating func perform(_ step: ScriptedEngine.Script.Step, at time: Duration) -> Event? {
        switch step.action {
        case .volatile(let utterance):
            let result = result(utterance, through: time)
            guard !result.range.isEmpty, !result.text.isEmpty else { return nil }
            live.removeAll { $0.range.overlaps(result.range) }
            live.append(result)
            return .emit([.volatile(result)])
        case .final(let utterance):
            let result = result(utterance, through: time)
            endSegment(at: time)
            live.removeAll { $0.range.lowerBound < time }
            return .emit([.final(result)])
        case .revoke:
            guard let first = live.first, let last = live.last else { return nil }
            let lower = min(first.range.lowerBound, last.range.lowerBound)
            let upper = live.reduce(lower) { max($0, $1.range.upperBound) }
            live = []
            return .emit([.revoked(lower..<upper)])
        case .finalize:
            let settled = settleLive()
            endSegment(at: time)
            return .emit(settled + [.finalized(through: time)])
        case .turnEnd: return .emit([.turnEnded(at: time)])
        case .fail(let error): return .fail(error)
        case .stall(let duration): return .stall(duration)
        case .slowStart, .failingStart, .slowFinish, .repeats: return nil
        }
    }

    private mutating func settleLive() -> [SpeechUpdate] {
        defer { live = [] }
        return live.sorted { $0.range.lowerBound < $1.range.lowerBound }.map { .final($0) }
    }

    private mutating func endSegment(at time: Duration) {
        segmentStart = time
        watermark = max(watermark, time)
        settledWords = 0
    }

    private func result(_ utterance: ScriptedEngine.Script.Step.Utterance, through time: Duration) -> SpeechResult {
        let wanted = utterance.start.map { $0 + offset } ?? segmentStart
        let lower = max(wanted, watermark)
        // The words that became final early do not appear again.
        let said = wanted < watermark ? settledWords : 0
        let words = utterance.words.dropFirst(said).map { word in
            var word = word
            word.range = word.range.map { $0.lowerBound + offset..<$0.upperBound + offset }
            return word
        }
        let alternatives = utterance.alternatives.map { alternative in
            var alternative = alternative
            alternative.text = Self.drop(said, of: alternative.text)
            return alternative
        }
        return SpeechResult(
            range: lower..<max(lower, time), text: Self.drop(said, of: utterance.text), words: Array(words),
            alternatives: alternatives, endsInSpeech: utterance.endsInSpeech)
    }

    private static func words(of text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }

    private static func drop(_ count: Int, of text: String) -> String {
        count == 0 ? text : words(of: text).dropFirst(count).joined(separator: " ")
    }
}

extension ScriptedEngine.Script.Step {
    /// Whether the step is about the start or the finish, not about a time in the audio.
    fileprivate var isAboutTheWhole: Bool {
        switch action {
        case .slowStart, .failingStart, .slowFinish: true
        default: false
        }
    }
}
