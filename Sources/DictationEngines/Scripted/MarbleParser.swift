public import DictationCore

extension ScriptedEngine.Script {
    /// Creates a script from one line, in which time runs from left to right.
    ///
    ///     "--(go)--(go for)-[go forward / go four word]--{error engineFailed The engine broke.}"
    ///
    /// | Marble | Meaning |
    /// |---|---|
    /// | `-` | one tick passes, 100 ms by default |
    /// | `2s`, `250ms`, `1.5s` | this time passes |
    /// | `(go for)` | volatile text from the end of the last final text until here |
    /// | `[go forward / go for]` | final text, and an alternative after each `/` |
    /// | `\|` | the end: the following steps happen when the engine must make everything final |
    /// | `{finalize}` | volatile text becomes final |
    /// | `{revoke}` | volatile text is revoked |
    /// | `{turn}` | the speaker's turn ended |
    /// | `{error}`, `{error code message}` | the engine fails |
    /// | `{stall 2s}`, `{stall}` | the engine takes no audio for a time, or forever |
    /// | `{start 2s}` | starting takes a time |
    /// | `{start fails}`, `{start fails code message}` | starting fails |
    /// | `{finish 2s}`, `{finish never}` | making everything final takes a time, or forever |
    /// | `{repeat}` | the script begins again here |
    ///
    /// Outside of text, spaces have no meaning. In text, `\` escapes the next character.
    ///
    /// - Parameters:
    ///   - marbles: The line.
    ///   - tick: The time of a `-`.
    /// - Throws: `invalidInput` with the column of the first error.
    public init(marbles: String, tick: Duration = .milliseconds(100)) throws(DictationError) {
        guard tick > .zero, tick <= Self.longestTime else {
            throw DictationError(
                .invalidInput, "A tick can't have a length of \(tick).", recovery: "Use another length, such as 100 ms."
            )
        }
        var parser = MarbleParser(marbles, tick: tick)
        self = try parser.parse().validated()
    }
}

/// Reads marbles from left to right. An error shows its place.
private struct MarbleParser {
    private let characters: [Character]
    private let tick: Duration
    private var index = 0
    /// The time of the next step; `nil` after the end.
    private var time: Duration? = .zero
    private var steps: [ScriptedEngine.Script.Step] = []

    init(_ marbles: String, tick: Duration) {
        characters = Array(marbles)
        self.tick = tick
    }

    mutating func parse() throws(DictationError) -> ScriptedEngine.Script {
        while let character = peek {
            let start = index
            switch character {
            case " ", "\t", "\n": index += 1
            case "-":
                index += 1
                try advance(by: tick, from: start)
            case "0"..."9", ".": try advance(by: try duration(), from: start)
            case "(": try readVolatile()
            case "[": try readFinal()
            case "{": try readDirective()
            case "|":
                guard time != nil else { throw problem("there is already an end “|”", at: start) }
                index += 1
                time = nil
            default: throw problem("“\(character)” means nothing here", at: start)
            }
        }
        return ScriptedEngine.Script(steps)
    }

    private var peek: Character? { index < characters.count ? characters[index] : nil }

    // MARK: Time

    private mutating func advance(by duration: Duration, from start: Int) throws(DictationError) {
        guard let time else { throw problem("no time can pass after the end “|”", at: start) }
        guard time + duration <= ScriptedEngine.Script.longestTime else {
            throw problem("the time is too long", at: start)
        }
        self.time = time + duration
    }

    private mutating func duration() throws(DictationError) -> Duration {
        let start = index
        let number = take { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = take { $0.isASCII && $0.isLetter }
        guard unit == "s" || unit == "ms" else {
            throw problem("a time ends in “s” or “ms”, such as 2s or 250ms", at: start)
        }
        guard let duration = Duration(decimal: number, unitsPerSecond: unit == "s" ? 1 : 1_000),
            duration <= ScriptedEngine.Script.longestTime
        else { throw problem("“\(number)” is not a number, or it is too large", at: start) }
        return duration
    }

    // MARK: Text

    private mutating func readVolatile() throws(DictationError) {
        let start = index
        let text = try texts(until: ")", separator: nil)[0]
        guard !text.isEmpty else { throw problem("volatile text is empty; to revoke text, write {revoke}", at: start) }
        try checkAudio(before: start)
        steps.append(.volatile(text, at: time))
    }

    private mutating func readFinal() throws(DictationError) {
        let start = index
        let texts = try texts(until: "]", separator: "/")
        try checkAudio(before: start)
        steps.append(.final(texts[0], at: time, alternatives: texts.dropFirst().map { .init($0) }))
    }

    private func checkAudio(before start: Int) throws(DictationError) {
        if time == .zero { throw problem("there is no audio yet; put a “-” before it", at: start) }
    }

    /// Reads the text up to a closing character and splits it at the separator. Returns at least one text.
    private mutating func texts(until close: Character, separator: Character?) throws(DictationError) -> [String] {
        let start = index
        index += 1
        var texts = [""]
        while let character = peek {
            index += 1
            if character == close { return texts.map(\.trimmed) }
            if character == separator {
                texts.append("")
            } else if character == "\\" {
                guard let escaped = peek else { break }
                index += 1
                texts[texts.count - 1].append(escaped)
            } else {
                texts[texts.count - 1].append(character)
            }
        }
        throw problem("“\(characters[start])” is not closed by “\(close)”", at: start)
    }

    // MARK: Directives

    private mutating func readDirective() throws(DictationError) {
        let start = index
        index += 1
        let name = word()
        switch name {
        case "revoke": steps.append(.revoke(at: time))
        case "finalize": steps.append(.finalize(at: try audioTime(of: name, start)))
        case "turn": steps.append(.turnEnd(at: try audioTime(of: name, start)))
        case "stall":
            let at = try audioTime(of: name, start)
            steps.append(.stall(at: at, for: isAtClose ? nil : try duration()))
        case "error": steps.append(.error(try error(), at: time))
        case "repeat": steps.append(.repeats(every: try audioTime(of: name, start)))
        case "start":
            if try reads("fails") {
                steps.append(.failingStart(try error()))
            } else {
                steps.append(.slowStart(try duration()))
            }
        case "finish": steps.append(try reads("never") ? .neverFinishes() : .slowFinish(try duration()))
        default:
            throw problem(
                "there is no “\(name)”; use revoke, finalize, turn, stall, error, repeat, start or finish",
                at: start + 1)
        }
        skipSpaces()
        guard peek == "}" else { throw problem("“{\(name)” needs a “}” here", at: index) }
        index += 1
    }

    private func audioTime(of name: String, _ start: Int) throws(DictationError) -> Duration {
        guard let time else { throw problem("“\(name)” can't come after the end “|”", at: start + 1) }
        return time
    }

    private mutating func error() throws(DictationError) -> DictationError {
        let code = word()
        skipSpaces()
        var message = ""
        while let character = peek, character != "}" {
            index += 1
            message.append(character)
        }
        return DictationError(
            code.isEmpty ? .engineFailed : .init(rawValue: code),
            message.isEmpty ? "The script makes the engine fail here." : message.trimmed)
    }

    private var isAtClose: Bool {
        mutating get {
            skipSpaces()
            return peek == "}"
        }
    }

    /// Takes the next word if it is the expected word.
    private mutating func reads(_ expected: String) throws(DictationError) -> Bool {
        skipSpaces()
        let start = index
        if word() == expected { return true }
        index = start
        return false
    }

    private mutating func word() -> String {
        skipSpaces()
        return take { $0.isLetter }
    }

    private mutating func skipSpaces() { _ = take { $0 == " " } }

    private mutating func take(while isTaken: (Character) -> Bool) -> String {
        let start = index
        while let character = peek, isTaken(character) { index += 1 }
        return String(characters[start..<index])
    }

    /// Returns an error that shows its place: the marbles around it, with an arrow before the place.
    private func problem(_ what: String, at position: Int) -> DictationError {
        let before = characters.prefix(position).suffix(40)
        let after = characters.dropFirst(position).prefix(20)
        return DictationError(
            .invalidInput,
            "The marbles can't be read at column \(position + 1), “\(String(before))→\(String(after))”: \(what).",
            recovery: "Correct the marbles. ScriptedEngine.Script.init(marbles:tick:) describes them.")
    }
}

extension String {
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
