import DictationCore

/// A piece of a grammar's text and its line.
struct JSGFToken: Sendable, Hashable {
    var kind: Kind
    var line: Int

    enum Kind: Sendable, Hashable {
        case word(String)
        case rule(String)
        case weight(Double)
        case tag
        /// One of `; = | ( ) [ ] * +`.
        case mark(Character)
    }

    /// Returns the tokens of a grammar's text.
    static func tokens(of text: String) throws(DictationError) -> [JSGFToken] {
        var scanner = JSGFScanner(text)
        var tokens: [JSGFToken] = []
        while let token = try scanner.next() { tokens.append(token) }
        return tokens
    }

    static func error(_ what: String, line: Int) -> DictationError {
        DictationError(
            .invalidInput, "The grammar has an error on line \(line): \(what).",
            recovery: "Correct the grammar. It must be in JSpeech Grammar Format, for example "
                + "“#JSGF V1.0; grammar g; public <command> = open | close;”.")
    }
}

/// Reads a grammar's text character by character.
private struct JSGFScanner {
    private let text: [Character]
    private var index = 0
    private var line = 1
    private static let marks: Set<Character> = [";", "=", "|", "(", ")", "[", "]", "*", "+"]
    private static let ends: Set<Character> = marks.union(["<", ">", "{", "}", "/", "\""])

    init(_ text: String) { self.text = Array(text) }

    private var current: Character? { index < text.count ? text[index] : nil }
    private var following: Character? { index + 1 < text.count ? text[index + 1] : nil }

    private mutating func advance() {
        if current?.isNewline == true { line += 1 }
        index += 1
    }

    mutating func next() throws(DictationError) -> JSGFToken? {
        try skipBlanks()
        guard let character = current else { return nil }
        let start = line
        switch character {
        case "<": return JSGFToken(kind: .rule(try enclosed(until: ">", "a rule's name")), line: start)
        case "\"": return JSGFToken(kind: .word(try enclosed(until: "\"", "a quoted word")), line: start)
        case "{":
            _ = try enclosed(until: "}", "a tag")
            return JSGFToken(kind: .tag, line: start)
        case "/":
            let number = try enclosed(until: "/", "a weight")
            guard let weight = Double(number), weight.isFinite, weight >= 0 else {
                throw JSGFToken.error("“/\(number)/” is not a weight", line: start)
            }
            return JSGFToken(kind: .weight(weight), line: start)
        case _ where Self.marks.contains(character):
            advance()
            return JSGFToken(kind: .mark(character), line: start)
        case ">", "}": throw JSGFToken.error("“\(character)” closes nothing", line: start)
        default:
            var word = ""
            while let character = current, !character.isWhitespace, !Self.ends.contains(character) {
                word.append(character)
                advance()
            }
            return JSGFToken(kind: .word(word), line: start)
        }
    }

    private mutating func skipBlanks() throws(DictationError) {
        while let character = current {
            if character.isWhitespace {
                advance()
            } else if character == "/", following == "/" {
                while let character = current, !character.isNewline { advance() }
            } else if character == "/", following == "*" {
                let start = line
                advance()
                advance()
                while !(current == "*" && following == "/") {
                    guard current != nil else { throw JSGFToken.error("a comment has no end", line: start) }
                    advance()
                }
                advance()
                advance()
            } else {
                return
            }
        }
    }

    private mutating func enclosed(until end: Character, _ what: String) throws(DictationError) -> String {
        let start = line
        advance()
        var inside = ""
        while let character = current {
            advance()
            if character == end { return inside.trimmed }
            if character == "\\", end != ">", let escaped = current {
                inside.append(escaped)
                advance()
            } else {
                inside.append(character)
            }
        }
        throw JSGFToken.error("\(what) has no end", line: start)
    }
}

extension String {
    /// The string without white space at either end.
    fileprivate var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
