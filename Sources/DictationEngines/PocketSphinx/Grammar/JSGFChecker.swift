import DictationCore

/// Rejects grammars that PocketSphinx accepts but then never matches, or that make it run forever.
struct JSGFChecker {
    private let rules: [String: JSGFGrammar.Rule]
    private let order: [JSGFGrammar.Rule]
    private let start: String
    private static let largest = 200_000

    init(_ grammar: JSGFGrammar) {
        order = grammar.rules
        rules = Dictionary(grammar.rules.map { ($0.name, $0) }) { first, _ in first }
        start = grammar.start
    }

    func check() throws(DictationError) {
        for rule in order { try checkDefined(rule.body, in: rule) }
        try checkEnds()
        for rule in order { try checkRecursion(from: rule) }
        var sizes: [String: Int] = [:]
        guard size(of: start, &sizes, within: []) <= Self.largest else {
            throw DictationError(
                .invalidInput, "The grammar expands to more than \(Self.largest) words.",
                recovery: "Use rules inside other rules less often.")
        }
        guard size(of: start, &sizes, within: []) > 0 else {
            throw DictationError(
                .invalidInput, "The rule <\(start)> has no words.", recovery: "Add at least one word to it.")
        }
    }

    private func checkDefined(_ body: JSGFGrammar.Expansion, in rule: JSGFGrammar.Rule) throws(DictationError) {
        for (name, line, _) in references(in: body) where rules[name] == nil {
            throw JSGFToken.error("the rule <\(name)> is not defined", line: line)
        }
    }

    // MARK: Recursion

    /// Returns the rules that an expansion refers to. A reference is a tail if nothing in the expansion can follow it.
    private func references(
        in body: JSGFGrammar.Expansion, isTail: Bool = true
    ) -> [(name: String, line: Int, isTail: Bool)] {
        switch body {
        case .word, .null, .void: []
        case .rule(let name, let line): [(name, line, isTail)]
        case .sequence(let parts):
            parts.enumerated().flatMap { index, part in
                references(in: part, isTail: isTail && index == parts.count - 1)
            }
        case .choice(let parts): parts.flatMap { references(in: $0.1, isTail: isTail) }
        case .optional(let part): references(in: part, isTail: isTail)
        case .anyNumber(let part), .oneOrMore(let part): references(in: part, isTail: false)
        }
    }

    /// Checks that a rule refers to itself only at its end, and only after a word.
    private func checkRecursion(from rule: JSGFGrammar.Rule) throws(DictationError) {
        for (name, line, isTail) in references(in: rule.body) where reaches(rule.name, from: name) {
            guard isTail else {
                throw JSGFToken.error(
                    "the rule <\(rule.name)> refers to itself through <\(name)> before its end; a rule may do so only "
                        + "at its end", line: line)
            }
        }
        if canReturnAtOnce(rule) {
            throw JSGFToken.error(
                "the rule <\(rule.name)> refers to itself without a word in between (left recursion)",
                line: rule.line)
        }
    }

    private func reaches(_ goal: String, from start: String) -> Bool {
        var seen: Set<String> = []
        var left = [start]
        while let name = left.popLast() {
            if name == goal { return true }
            guard seen.insert(name).inserted, let rule = rules[name] else { continue }
            left += references(in: rule.body).map(\.name)
        }
        return false
    }

    private func canReturnAtOnce(_ rule: JSGFGrammar.Rule) -> Bool {
        let silent = namesWithoutWords()
        var seen: Set<String> = []
        var left = firsts(of: rule.body, silent)
        while let name = left.popLast() {
            if name == rule.name { return true }
            guard seen.insert(name).inserted, let next = rules[name] else { continue }
            left += firsts(of: next.body, silent)
        }
        return false
    }

    /// Returns the rules that an expansion can begin with.
    private func firsts(of body: JSGFGrammar.Expansion, _ silent: Set<String>) -> [String] {
        switch body {
        case .word, .null, .void: return []
        case .rule(let name, _): return [name]
        case .sequence(let parts):
            var names: [String] = []
            for part in parts {
                names += firsts(of: part, silent)
                guard isSilent(part, silent) else { break }
            }
            return names
        case .choice(let parts): return parts.flatMap { firsts(of: $0.1, silent) }
        case .optional(let part), .anyNumber(let part), .oneOrMore(let part): return firsts(of: part, silent)
        }
    }

    // MARK: Ends

    /// Checks that every rule can end.
    private func checkEnds() throws(DictationError) {
        let ending = closure { ends($0, $1) }
        for rule in order where !ending.contains(rule.name) {
            throw JSGFToken.error("the rule <\(rule.name)> never ends", line: rule.line)
        }
    }

    private func ends(_ body: JSGFGrammar.Expansion, _ names: Set<String>) -> Bool {
        switch body {
        case .word, .null, .optional, .anyNumber: true
        case .void: false
        case .rule(let name, _): names.contains(name)
        case .sequence(let parts): parts.allSatisfy { ends($0, names) }
        case .choice(let parts): parts.contains { ends($0.1, names) }
        case .oneOrMore(let part): ends(part, names)
        }
    }

    private func namesWithoutWords() -> Set<String> { closure { isSilent($0, $1) } }

    private func isSilent(_ body: JSGFGrammar.Expansion, _ names: Set<String>) -> Bool {
        switch body {
        case .word, .void: false
        case .null, .optional, .anyNumber: true
        case .rule(let name, _): names.contains(name)
        case .sequence(let parts): parts.allSatisfy { isSilent($0, names) }
        case .choice(let parts): parts.contains { isSilent($0.1, names) }
        case .oneOrMore(let part): isSilent(part, names)
        }
    }

    /// Returns the rules for which a property holds. The property of a rule may depend on the rules already found, so
    /// the search repeats until it finds no more.
    private func closure(_ holds: (JSGFGrammar.Expansion, Set<String>) -> Bool) -> Set<String> {
        var names: Set<String> = []
        while true {
            let more = order.filter { !names.contains($0.name) && holds($0.body, names) }
            if more.isEmpty { return names }
            names.formUnion(more.map(\.name))
        }
    }

    // MARK: Size

    private func size(of name: String, _ sizes: inout [String: Int], within open: Set<String>) -> Int {
        if let known = sizes[name] { return known }
        guard let rule = rules[name], !open.contains(name) else { return 0 }
        let total = size(of: rule.body, &sizes, within: open.union([name]))
        sizes[name] = total
        return total
    }

    private func size(
        of body: JSGFGrammar.Expansion, _ sizes: inout [String: Int], within open: Set<String>
    ) -> Int {
        func sum(_ parts: [JSGFGrammar.Expansion], _ sizes: inout [String: Int]) -> Int {
            var total = 0
            for part in parts { total = min(Self.largest + 1, total + size(of: part, &sizes, within: open)) }
            return total
        }
        switch body {
        case .word: return 1
        case .null, .void: return 0
        case .rule(let name, _): return size(of: name, &sizes, within: open)
        case .sequence(let parts): return sum(parts, &sizes)
        case .choice(let parts): return sum(parts.map(\.1), &sizes)
        case .optional(let part), .anyNumber(let part), .oneOrMore(let part):
            return size(of: part, &sizes, within: open)
        }
    }
}
