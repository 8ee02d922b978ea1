import DictationCore

/// Reads a grammar's tokens into rules.
struct JSGFParser {
    private var tokens: ArraySlice<JSGFToken>
    private var line = 1
    private var depth = 0
    private static let deepest = 64
    private static let longest = 1_000_000

    init(_ text: String) throws(DictationError) {
        guard text.utf8.count <= Self.longest else {
            throw DictationError(
                .invalidInput, "The grammar is longer than \(Self.longest) bytes.", recovery: "Make it shorter.")
        }
        var text = text
        // The first line may name an encoding and a locale. Neither matters here.
        if text.hasPrefix("#JSGF") {
            guard let end = text.firstIndex(of: ";") else {
                throw JSGFToken.error("the first line has no “;”", line: 1)
            }
            let newlines = text[..<end].count { $0.isNewline }
            text = String(repeating: "\n", count: newlines) + text[text.index(after: end)...]
        }
        tokens = try JSGFToken.tokens(of: text)[...]
    }

    mutating func rules() throws(DictationError) -> [JSGFGrammar.Rule] {
        var rules: [JSGFGrammar.Rule] = []
        while let token = tokens.first {
            line = token.line
            switch token.kind {
            case .word("grammar"):
                tokens.removeFirst()
                guard case .word = tokens.popFirst()?.kind else {
                    throw JSGFToken.error("“grammar” needs a name", line: line)
                }
                try expect(";")
            case .word("import"):
                throw JSGFToken.error(
                    "“import” can't be resolved; copy the imported rule into the grammar", line: line
                )
            case .word("public"), .rule:
                let rule = try rule()
                if let other = rules.first(where: { $0.name == rule.name }) {
                    throw JSGFToken.error(
                        "the rule <\(rule.name)> is already defined on line \(other.line)", line: rule.line)
                }
                rules.append(rule)
            case .tag, .mark, .weight, .word: throw JSGFToken.error("a rule is missing here", line: line)
            }
        }
        return rules
    }

    private mutating func rule() throws(DictationError) -> JSGFGrammar.Rule {
        let isPublic = tokens.first?.kind == .word("public")
        if isPublic { tokens.removeFirst() }
        guard let token = tokens.popFirst(), case .rule(let name) = token.kind else {
            throw JSGFToken.error("“public” needs a rule", line: line)
        }
        guard !name.isEmpty, name != "NULL", name != "VOID" else {
            throw JSGFToken.error("a rule can't be named <\(name)>", line: token.line)
        }
        try expect("=")
        let body = try choice(in: name)
        try expect(";")
        return JSGFGrammar.Rule(name: name, line: token.line, isPublic: isPublic, body: body)
    }

    private mutating func expect(_ mark: Character) throws(DictationError) {
        let found = tokens.popFirst()
        guard found?.kind == .mark(mark) else {
            throw JSGFToken.error("“\(mark)” is missing", line: found?.line ?? line)
        }
        line = found?.line ?? line
    }

    private mutating func choice(in rule: String) throws(DictationError) -> JSGFGrammar.Expansion {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else {
            throw JSGFToken.error("brackets are nested more than \(Self.deepest) deep", line: line)
        }
        var parts: [(weight: Double?, JSGFGrammar.Expansion)] = []
        while true {
            var weight: Double?
            if case .weight(let number) = tokens.first?.kind {
                weight = number
                tokens.removeFirst()
            }
            parts.append((weight, try sequence(in: rule)))
            guard tokens.first?.kind == .mark("|") else { break }
            tokens.removeFirst()
        }
        if parts.count == 1, parts[0].weight == nil { return parts[0].1 }
        return .choice(parts)
    }

    private mutating func sequence(in rule: String) throws(DictationError) -> JSGFGrammar.Expansion {
        var parts: [JSGFGrammar.Expansion] = []
        while let token = tokens.first {
            line = token.line
            let part: JSGFGrammar.Expansion
            switch token.kind {
            case .word(let word):
                guard !word.isEmpty else { throw JSGFToken.error("a word is empty", line: line) }
                part = .word(word, line: line)
                tokens.removeFirst()
            case .rule(let name):
                part = name == "NULL" ? .null : name == "VOID" ? .void : .rule(name, line: line)
                tokens.removeFirst()
            case .tag:
                tokens.removeFirst()
                continue
            case .mark("("):
                tokens.removeFirst()
                part = try choice(in: rule)
                try expect(")")
            case .mark("["):
                tokens.removeFirst()
                part = .optional(try choice(in: rule))
                try expect("]")
            case .mark("*"), .mark("+"): throw JSGFToken.error("there is nothing to repeat", line: line)
            case .weight: throw JSGFToken.error("a weight belongs before an alternative", line: line)
            case .mark:
                guard !parts.isEmpty else { throw JSGFToken.error("the phrase is empty in <\(rule)>", line: line) }
                return parts.count == 1 ? parts[0] : .sequence(parts)
            }
            parts.append(repeated(part))
        }
        throw JSGFToken.error("the rule <\(rule)> has no “;”", line: line)
    }

    private mutating func repeated(_ part: JSGFGrammar.Expansion) -> JSGFGrammar.Expansion {
        switch tokens.first?.kind {
        case .mark("*"):
            tokens.removeFirst()
            return .anyNumber(part)
        case .mark("+"):
            tokens.removeFirst()
            return .oneOrMore(part)
        default: return part
        }
    }
}
