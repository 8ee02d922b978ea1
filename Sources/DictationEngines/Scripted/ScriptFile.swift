public import DictationCore
import DictationSystem
import FoundationEssentials

extension ScriptedEngine.Script {
    /// Loads a script from a JSON file.
    ///
    /// ``init(json:)`` describes the format.
    ///
    /// - Throws: `fileUnreadable` if the file can't be read, and `invalidInput` with the line of the first error.
    public init(contentsOfFile path: String) throws(DictationError) {
        let contents = try FileListing.contents(of: path, limit: 16 << 20)
        try self.init(bytes: contents, source: "The script at “\(path)”")
    }

    /// Creates a script from JSON.
    ///
    ///     {
    ///       "version": 1,
    ///       "steps": [
    ///         { "at": 1, "volatile": "go" },
    ///         { "at": 2.5, "final": "go forward", "alternatives": [{ "text": "go four word", "confidence": 0.2 }] },
    ///         { "at": 4, "error": { "code": "engineFailed", "message": "The engine broke." } }
    ///       ]
    ///     }
    ///
    /// Times are seconds of audio. Each step has exactly one of the members `volatile`, `final`, `revoke`, `finalize`,
    /// `turnEnd`, `error`, `stall`, `slowStart`, `failingStart`, `slowFinish` and `repeats`. <doc:ScriptingAnEngine> describes
    /// them.
    ///
    /// - Throws: `invalidInput` with the line of the first error.
    public init(json: String) throws(DictationError) { try self.init(bytes: json.utf8, source: "The script") }

    private init(bytes: some Sequence<UInt8>, source: String) throws(DictationError) {
        do throws(LocatedJSON.Problem) {
            self = try ScriptDocument.script(try LocatedJSON(reading: bytes))
        } catch {
            throw DictationError(
                .invalidInput, "\(source) can't be used because of line \(error.line): \(error.what).",
                recovery: "Correct the script. The article “Scripting an engine” describes the format.")
        }
        _ = try validated()
    }
}

/// Interprets version 1 of the format.
private enum ScriptDocument {
    typealias Problem = LocatedJSON.Problem

    static func script(_ json: LocatedJSON) throws(Problem) -> ScriptedEngine.Script {
        var document = try Members(json, of: "the script")
        let version = try document.required("version")
        guard case .number("1") = version.kind else {
            throw Problem(line: version.line, what: "version \(version.name) is not supported, only 1 is")
        }
        let list = try document.required("steps")
        guard case .array(let values) = list.kind else {
            throw Problem(line: list.line, what: "“steps” should be a list, but it is \(list.name)")
        }
        try document.end()
        var steps: [ScriptedEngine.Script.Step] = []
        for (index, value) in values.enumerated() { steps.append(try step(value, "step \(index + 1)")) }
        return ScriptedEngine.Script(steps)
    }

    private static let verbs = [
        "volatile", "final", "revoke", "finalize", "turnEnd", "error", "stall", "slowStart", "failingStart",
        "slowFinish",
        "repeats",
    ]

    private static func step(_ json: LocatedJSON, _ name: String) throws(Problem) -> ScriptedEngine.Script.Step {
        var members = try Members(json, of: name)
        let said = verbs.filter { members.has($0) }
        guard let verb = said.first, said.count == 1 else {
            throw Problem(
                line: json.line,
                what: "\(name) should have one of \(verbs.joined(separator: ", ")), but it has "
                    + (said.isEmpty ? "none" : said.joined(separator: " and ")))
        }
        let value = try members.required(verb)
        let at = try members.optional("at").map { json throws(Problem) in try seconds(json, name) }
        let step: ScriptedEngine.Script.Step
        switch verb {
        case "volatile", "final":
            let text = try text(value, name)
            let from = try members.optional("from").map { json throws(Problem) in try seconds(json, name) }
            let words = try list(members.optional("words"), name, word)
            let alternatives = try list(members.optional("alternatives"), name, alternative)
            step =
                verb == "final"
                ? .final(text, from: from, at: at, words: words, alternatives: alternatives)
                : .volatile(text, from: from, at: at, words: words, alternatives: alternatives)
        case "revoke":
            try yes(value, name)
            step = .revoke(at: at)
        case "finalize":
            try yes(value, name)
            step = .finalize(at: try timed(at, json, name))
        case "turnEnd":
            try yes(value, name)
            step = .turnEnd(at: try timed(at, json, name))
        case "error": step = .error(try error(value, name), at: at)
        case "stall":
            step = .stall(at: try timed(at, json, name), for: try seconds(value, or: "forever", name))
        case "slowStart": step = .slowStart(try seconds(value, name))
        case "failingStart": step = .failingStart(try error(value, name))
        case "slowFinish":
            step = try seconds(value, or: "never", name).map { .slowFinish($0) } ?? .neverFinishes()
        default: step = .repeats(every: try seconds(value, name))
        }
        if let at, step.time != at { throw Problem(line: json.line, what: "\(name), \(verb), can't have a time “at”") }
        if let problem = step.problem { throw Problem(line: json.line, what: "\(name), \(step), \(problem)") }
        try members.end()
        return step
    }

    // MARK: Values

    private static func timed(
        _ at: Duration?, _ json: LocatedJSON, _ name: String
    ) throws(Problem) -> Duration {
        guard let at else { throw Problem(line: json.line, what: "\(name) needs a time “at”") }
        return at
    }

    private static func seconds(_ json: LocatedJSON, _ name: String) throws(Problem) -> Duration {
        guard case .number(let text) = json.kind, let duration = Duration(decimal: text) else {
            throw Problem(
                line: json.line, what: "\(name) has \(json.name) instead of seconds, such as 2 or 0.25")
        }
        return duration
    }

    private static func seconds(
        _ json: LocatedJSON, or endless: String, _ name: String
    ) throws(Problem) -> Duration? {
        if case .string(endless) = json.kind { return nil }
        return try seconds(json, "\(name), which may say \"\(endless)\",")
    }

    private static func text(_ json: LocatedJSON, _ name: String) throws(Problem) -> String {
        guard case .string(let text) = json.kind else {
            throw Problem(line: json.line, what: "\(name) has \(json.name) instead of a text")
        }
        return text
    }

    private static func yes(_ json: LocatedJSON, _ name: String) throws(Problem) {
        guard case .bool(true) = json.kind else {
            throw Problem(line: json.line, what: "\(name) has \(json.name) instead of true")
        }
    }

    private static func confidence(_ json: LocatedJSON?, _ name: String) throws(Problem) -> Double? {
        guard let json else { return nil }
        guard case .number(let text) = json.kind, let confidence = Double(text), (0...1).contains(confidence) else {
            throw Problem(line: json.line, what: "\(name) has \(json.name) instead of a confidence from 0 to 1")
        }
        return confidence
    }

    private static func list<Element>(
        _ json: LocatedJSON?, _ name: String, _ read: (LocatedJSON, String) throws(Problem) -> Element
    ) throws(Problem) -> [Element] {
        guard let json else { return [] }
        guard case .array(let values) = json.kind else {
            throw Problem(line: json.line, what: "\(name) has \(json.name) instead of a list")
        }
        var elements: [Element] = []
        for value in values { elements.append(try read(value, name)) }
        return elements
    }

    private static func word(_ json: LocatedJSON, _ name: String) throws(Problem) -> SpeechResult.Word {
        var members = try Members(json, of: "a word of \(name)")
        let text = try text(try members.required("text"), name)
        let from = try members.optional("from").map { json throws(Problem) in try seconds(json, name) }
        let to = try members.optional("to").map { json throws(Problem) in try seconds(json, name) }
        let confidence = try confidence(members.optional("confidence"), name)
        try members.end()
        switch (from, to) {
        case (nil, nil): return SpeechResult.Word(text, confidence: confidence)
        case (let from?, let to?) where from <= to:
            return SpeechResult.Word(text, range: from..<to, confidence: confidence)
        default: throw Problem(line: json.line, what: "a word of \(name) needs “from” and a later “to”, or neither")
        }
    }

    private static func alternative(_ json: LocatedJSON, _ name: String) throws(Problem) -> SpeechResult.Alternative {
        var members = try Members(json, of: "an alternative of \(name)")
        let text = try text(try members.required("text"), name)
        let confidence = try confidence(members.optional("confidence"), name)
        try members.end()
        return SpeechResult.Alternative(text, confidence: confidence)
    }

    private static func error(_ json: LocatedJSON, _ name: String) throws(Problem) -> DictationError {
        var members = try Members(json, of: "the error of \(name)")
        let code = try text(try members.required("code"), name)
        let message = try text(try members.required("message"), name)
        let recovery = try members.optional("recovery").map { json throws(Problem) in try text(json, name) }
        try members.end()
        return DictationError(.init(rawValue: code), message, recovery: recovery)
    }
}

/// The members of an object, taken out one by one. The members that are left at the end are unknown.
private struct Members {
    private let name: String
    private let line: Int
    private var left: [(key: String, value: LocatedJSON)]

    init(_ json: LocatedJSON, of name: String) throws(LocatedJSON.Problem) {
        guard case .object(let members) = json.kind else {
            throw LocatedJSON.Problem(line: json.line, what: "\(name) should be an object, but it is \(json.name)")
        }
        self.name = name
        line = json.line
        left = members
    }

    func has(_ key: String) -> Bool { left.contains { $0.key == key } }

    mutating func optional(_ key: String) -> LocatedJSON? {
        guard let index = left.firstIndex(where: { $0.key == key }) else { return nil }
        return left.remove(at: index).value
    }

    mutating func required(_ key: String) throws(LocatedJSON.Problem) -> LocatedJSON {
        guard let value = optional(key) else { throw LocatedJSON.Problem(line: line, what: "\(name) has no “\(key)”") }
        return value
    }

    func end() throws(LocatedJSON.Problem) {
        guard let first = left.first else { return }
        throw LocatedJSON.Problem(line: first.value.line, what: "\(name) has the unknown member “\(first.key)”")
    }
}
