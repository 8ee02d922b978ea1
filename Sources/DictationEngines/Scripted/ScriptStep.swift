public import DictationCore

extension ScriptedEngine.Script {
    /// A step of a script.
    public struct Step: Sendable, Hashable {
        /// The audio time of the step. With `nil`, it happens when the engine must make everything final.
        public var time: Duration?
        var action: Action

        enum Action: Sendable, Hashable, Codable {
            case volatile(Utterance)
            case final(Utterance)
            case revoke
            case finalize
            case turnEnd
            case fail(DictationError)
            case stall(Duration?)
            case slowStart(Duration)
            case failingStart(DictationError)
            case slowFinish(Duration?)
            case repeats
        }

        /// The text of a step.
        struct Utterance: Sendable, Hashable, Codable {
            var text: String
            var start: Duration?
            var words: [SpeechResult.Word]
            var alternatives: [SpeechResult.Alternative]
            var endsInSpeech = false
        }
    }
}

extension ScriptedEngine.Script.Step {
    /// Emits volatile text.
    ///
    /// The text replaces volatile text that its range overlaps.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - start: The start of the text's range. `nil` is the end of the last final text.
    ///   - time: The time of the step, and the end of the range.
    ///   - words: The words of the text. Words without times are spread evenly over the range.
    ///   - alternatives: Other texts for the same range.
    public static func volatile(
        _ text: String, from start: Duration? = nil, at time: Duration? = nil, words: [SpeechResult.Word] = [],
        alternatives: [SpeechResult.Alternative] = []
    ) -> Self {
        Self(
            time: time,
            action: .volatile(Utterance(text: text, start: start, words: words, alternatives: alternatives)))
    }

    /// Emits final text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - start: The start of the text's range. `nil` is the end of the last final text.
    ///   - time: The time of the step, and the end of the range.
    ///   - words: The words of the text. Words without times are spread evenly over the range.
    ///   - alternatives: Other texts for the same range.
    ///   - endsInSpeech: Whether the text ends without a pause.
    public static func final(
        _ text: String, from start: Duration? = nil, at time: Duration? = nil, words: [SpeechResult.Word] = [],
        alternatives: [SpeechResult.Alternative] = [], endsInSpeech: Bool = false
    ) -> Self {
        var utterance = Utterance(text: text, start: start, words: words, alternatives: alternatives)
        utterance.endsInSpeech = endsInSpeech
        return Self(time: time, action: .final(utterance))
    }

    /// Revokes all volatile text.
    public static func revoke(at time: Duration? = nil) -> Self { Self(time: time, action: .revoke) }

    /// Makes all volatile text final.
    public static func finalize(at time: Duration) -> Self { Self(time: time, action: .finalize) }

    /// Says that the speaker's turn ended. Give the step of the turn's final text an earlier or the same time.
    public static func turnEnd(at time: Duration) -> Self { Self(time: time, action: .turnEnd) }

    /// Fails the engine with an error.
    public static func error(_ error: DictationError, at time: Duration? = nil) -> Self {
        Self(time: time, action: .fail(error))
    }

    /// Stops taking audio for a time on the runtime's clock. `nil` is forever, like C code that hangs.
    public static func stall(at time: Duration, for duration: Duration? = nil) -> Self {
        Self(time: time, action: .stall(duration))
    }

    /// Makes the start take a time on the runtime's clock.
    public static func slowStart(_ duration: Duration) -> Self { Self(time: nil, action: .slowStart(duration)) }

    /// Fails the start, after the slow start if there is one.
    public static func failingStart(_ error: DictationError) -> Self { Self(time: nil, action: .failingStart(error)) }

    /// Makes each finalization take a time on the runtime's clock.
    public static func slowFinish(_ duration: Duration) -> Self { Self(time: nil, action: .slowFinish(duration)) }

    /// Makes each finalization take forever.
    public static func neverFinishes() -> Self { Self(time: nil, action: .slowFinish(nil)) }

    /// Repeats the steps after each period, as long as there is audio.
    public static func repeats(every period: Duration) -> Self { Self(time: period, action: .repeats) }
}

extension ScriptedEngine.Script.Step {
    var isRepeat: Bool { action == .repeats }

    /// A description of the step's error; `nil` for a valid step.
    var problem: String? {
        let known = Duration.zero...ScriptedEngine.Script.longestTime
        var durations = [time]
        switch action {
        case .volatile(let utterance), .final(let utterance):
            if time == .zero { return "comes before any audio" }
            if let start = utterance.start {
                durations.append(start)
                if let time, start >= time { return "begins at \(start), not before its end" }
            }
            for word in utterance.words { durations += [word.range?.lowerBound, word.range?.upperBound] }
            let confidences = utterance.words.map(\.confidence) + utterance.alternatives.map(\.confidence)
            if confidences.contains(where: { $0.map { !(0...1).contains($0) } ?? false }) {
                return "has a confidence that is not from 0 to 1"
            }
        case .stall(let duration), .slowFinish(let duration): durations.append(duration)
        case .slowStart(let duration): durations.append(duration)
        case .revoke, .finalize, .turnEnd, .fail, .failingStart, .repeats: break
        }
        let isKnown = durations.allSatisfy { $0.map(known.contains) ?? true }
        return isKnown ? nil : "has a time that is negative or longer than \(known.upperBound)"
    }
}

extension ScriptedEngine.Script.Step: CustomStringConvertible {
    /// The step in a few words.
    public var description: String {
        let name =
            switch action {
            case .volatile(let utterance): "volatile \"\(utterance.text)\""
            case .final(let utterance): "final \"\(utterance.text)\""
            case .revoke: "revoke"
            case .finalize: "finalize"
            case .turnEnd: "end of the turn"
            case .fail(let error): "error \(error.code.rawValue)"
            case .stall(let duration): "stall \(duration.map { "for \($0)" } ?? "forever")"
            case .slowStart(let duration): "slow start of \(duration)"
            case .failingStart(let error): "failing start \(error.code.rawValue)"
            case .slowFinish(let duration): duration.map { "slow finish of \($0)" } ?? "never finishes"
            case .repeats: "repeat"
            }
        return time.map { "\(name) at \($0)" } ?? name
    }
}
