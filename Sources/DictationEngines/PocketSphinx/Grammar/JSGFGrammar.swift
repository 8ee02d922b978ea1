import DictationCore

/// A checked grammar: every rule is defined and can end, and rules refer to themselves only at their end.
struct JSGFGrammar: Sendable {
    struct Rule: Sendable {
        var name: String
        var line: Int
        var isPublic: Bool
        var body: Expansion
    }

    /// The right side of a rule, or a part of it.
    indirect enum Expansion: Sendable {
        case word(String, line: Int)
        case rule(String, line: Int)
        /// `<NULL>`, which matches without a word.
        case null
        /// `<VOID>`, which never matches.
        case void
        case sequence([Expansion])
        case choice([(weight: Double?, Expansion)])
        case optional(Expansion)
        case anyNumber(Expansion)
        case oneOrMore(Expansion)
    }

    private(set) var rules: [Rule]
    /// The name of the rule to begin with.
    let start: String

    /// Reads and checks a grammar.
    init(_ grammar: RecognitionTask.Grammar) throws(DictationError) {
        var parser = try JSGFParser(grammar.jsgf)
        rules = try parser.rules()
        if let name = grammar.rule {
            guard rules.contains(where: { $0.name == name }) else {
                throw DictationError(
                    .invalidInput, "The grammar has no rule <\(name)>.", recovery: "Name one of its rules.")
            }
            start = name
        } else {
            guard let first = rules.first(where: \.isPublic) else {
                throw DictationError(
                    .invalidInput, "The grammar has no public rule.",
                    recovery: "Write “public” before the rule to begin with.")
            }
            start = first.name
        }
        try JSGFChecker(self).check()
    }

    /// Each word and its line.
    var words: [(word: String, line: Int)] {
        var words: [(String, Int)] = []
        for rule in rules { rule.body.forEachWord { words.append(($0, $1)) } }
        return words
    }

    /// Returns the grammar's text.
    ///
    /// - Parameter spelling: Returns the spelling of a word.
    func text(spelling: (String) -> String) -> String {
        let numbers = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($0.element.name, "r\($0.offset)") })
        var lines = ["#JSGF V1.0;", "grammar dictation;"]
        for rule in rules {
            let visibility = rule.name == start ? "public " : ""
            let body = rule.body.text(spelling: spelling) { numbers[$0] ?? "VOID" }
            lines.append("\(visibility)<\(numbers[rule.name] ?? "VOID")> = \(body);")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension JSGFGrammar.Expansion {
    func forEachWord(_ body: (String, Int) -> Void) {
        switch self {
        case .word(let word, let line): body(word, line)
        case .rule, .null, .void: break
        case .sequence(let parts): for part in parts { part.forEachWord(body) }
        case .choice(let parts): for part in parts { part.1.forEachWord(body) }
        case .optional(let part), .anyNumber(let part), .oneOrMore(let part): part.forEachWord(body)
        }
    }

    func text(spelling: (String) -> String, rule: (String) -> String) -> String {
        switch self {
        case .word(let word, _): spelling(word)
        case .rule(let name, _): "<\(rule(name))>"
        case .null: "<NULL>"
        case .void: "<VOID>"
        case .sequence(let parts): parts.map { $0.text(spelling: spelling, rule: rule) }.joined(separator: " ")
        case .choice(let parts):
            "("
                + parts.map { part in
                    (part.weight.map { "/\($0)/ " } ?? "") + part.1.text(spelling: spelling, rule: rule)
                }.joined(separator: " | ") + ")"
        case .optional(let part): "[" + part.text(spelling: spelling, rule: rule) + "]"
        case .anyNumber(let part): "(" + part.text(spelling: spelling, rule: rule) + ")*"
        case .oneOrMore(let part): "(" + part.text(spelling: spelling, rule: rule) + ")+"
        }
    }
}
