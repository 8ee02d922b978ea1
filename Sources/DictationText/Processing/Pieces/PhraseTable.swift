/// A table of phrases, each with a value.
struct PhraseTable<Value: Sendable>: Sendable {
    private struct Node: Sendable {
        var next: [String: Int] = [:]
        var value: Value?
    }

    private var nodes = [Node()]

    /// Sets the value of a phrase. A phrase without words is ignored.
    mutating func insert(_ phrase: String, _ value: Value) {
        insert(Tokenizer.texts(of: phrase).map(\.text.folded), value)
    }

    private mutating func insert(_ words: [String], _ value: Value) {
        guard !words.isEmpty else { return }
        var node = 0
        for word in words {
            if let next = nodes[node].next[word] {
                node = next
            } else {
                nodes[node].next[word] = nodes.count
                node = nodes.count
                nodes.append(Node())
            }
        }
        nodes[node].value = value
    }

    /// Whether a phrase begins with a word.
    func hasPhrase(beginningWith key: String) -> Bool { nodes[0].next[key] != nil }

    /// Returns the value of a phrase.
    subscript(word: String) -> Value? { nodes[0].next[word].flatMap { nodes[$0].value } }

    /// Returns the longest phrase at the beginning of the pieces, and whether a longer one may follow.
    func longest(in pieces: ArraySlice<TextPiece>) -> (match: (length: Int, value: Value)?, mayGrow: Bool) {
        var node = 0
        var match: (length: Int, value: Value)?
        for (index, piece) in pieces.enumerated() {
            guard !piece.isFixed, let next = nodes[node].next[piece.key] else { return (match, false) }
            node = next
            if let value = nodes[node].value { match = (index + 1, value) }
        }
        return (match, !nodes[node].next.isEmpty)
    }
}

/// Finds the phrases of a table in pieces that arrive one by one: at each place the longest.
struct PhraseMatcher<Value: Sendable>: Sendable {
    enum Finding {
        case piece(TextPiece)
        case phrase(Value, ArraySlice<TextPiece>)
    }

    let table: PhraseTable<Value>
    /// The pieces with which a phrase may begin.
    private var kept: [TextPiece] = []

    init(_ table: PhraseTable<Value>) { self.table = table }

    /// Takes a piece, and returns what can no longer become a longer phrase.
    mutating func next(_ piece: TextPiece) -> [Finding] {
        if kept.isEmpty, piece.isFixed || !table.hasPhrase(beginningWith: piece.key) { return [.piece(piece)] }
        kept.append(piece)
        return findings(isEnd: false)
    }

    /// Returns the rest.
    mutating func finish() -> [Finding] { findings(isEnd: true) }

    private mutating func findings(isEnd: Bool) -> [Finding] {
        var findings: [Finding] = []
        var rest = kept[...]
        while let first = rest.first {
            let (match, mayGrow) = table.longest(in: rest)
            if mayGrow, !isEnd { break }
            if let match {
                findings.append(.phrase(match.value, rest.prefix(match.length)))
                rest = rest.dropFirst(match.length)
            } else {
                findings.append(.piece(first))
                rest = rest.dropFirst()
            }
        }
        kept = Array(rest)
        return findings
    }
}
