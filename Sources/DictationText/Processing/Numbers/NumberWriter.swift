import DictationCore

/// Writes the numbers in a run of number words, and leaves all other words as they are.
struct NumberWriter {
    /// A part of the text, and the words that it stands for.
    typealias Part = (text: String, words: Range<Int>)

    let style: SpokenNumbers.Words
    let tokens: [NumberToken]
    let grammar: NumberGrammar
    /// Whether a number with digits precedes the run, as in “10 minus five”.
    private let followsNumber: Bool

    /// - Parameter isCounting: Whether a word such as “hours” follows.
    init(words: SpokenNumbers.Words, tokens: [NumberToken], followsNumber: Bool = false, isCounting: Bool = false) {
        (style, self.tokens, self.followsNumber) = (words, tokens, followsNumber)
        grammar = NumberGrammar(words: tokens.map(\.word), isCounting: isCounting)
    }

    /// The written pieces.
    var pieces: [TextPiece] {
        var pieces: [TextPiece] = []
        var index = 0
        var isAfterNumber = followsNumber
        while index < tokens.count {
            let parts = parts(at: index, isAfterNumber: isAfterNumber)
            guard let end = parts?.last?.words.upperBound, let parts, end > index else {
                pieces += tokens[index].pieces + tokens[index].pause
                isAfterNumber = grammar.number(at: index) != nil || isAfterNumber && belongsToNumber(grammar[index])
                index += 1
                continue
            }
            for part in parts { pieces += piece(part) }
            pieces += tokens[end - 1].pause
            (index, isAfterNumber) = (end, true)
        }
        return pieces
    }

    /// Whether a word can be the end of a number before it: the “million” of “2 million”, the “of March” of “3rd of March”.
    private func belongsToNumber(_ word: NumberWord?) -> Bool {
        switch word {
        case .scale, .meridiem, .clock, .month, .of: true
        default: false
        }
    }

    private func piece(_ part: Part) -> [TextPiece] {
        guard var piece = TextPiece.merged(part.text, tokens[part.words].flatMap(\.pieces)) else { return [] }
        piece.text = part.text
        return [piece]
    }

    /// Returns what is written for the words that begin here; `nil` for the word itself.
    private func parts(at index: Int, isAfterNumber: Bool) -> [Part]? {
        if grammar[index] == .minus || grammar[index] == .plus, isAfterNumber { return nil }
        if grammar[index] == .plus { return international(at: index) }
        return date(at: index) ?? time(at: index) ?? decade(at: index) ?? amount(at: index) ?? ordinal(at: index)
    }

    // MARK: Amounts

    private func amount(at index: Int) -> [Part]? {
        guard let quantity = grammar.quantity(at: index, style) else { return nil }
        if let ordinal = grammar.ordinal(at: index), ordinal.end > quantity.end { return nil }
        let unit = quantity.scale.map { $0 + 1 } ?? quantity.end
        let scale = quantity.scale.map { [(text: tokens[$0].text, words: $0..<($0 + 1))] } ?? []
        switch grammar[unit] {
        case .percent: return with(quantity, index, suffix: "%", scale, end: unit + 1)
        case .currency(let symbol): return money(quantity, index, symbol, scale, end: unit + 1)
        case .cents where !quantity.hasFraction && scale.isEmpty: return [(quantity.text, index..<quantity.end)]
        default: break
        }
        switch unitOfRange(at: unit) {
        case .percent, .cents: return [(quantity.text, index..<quantity.end)] + scale
        case .currency(let symbol): return money(quantity, index, symbol, scale, end: unit)
        default: break
        }
        let isLabeled = index > 0 && grammar[index - 1] == .label
        if quantity.needsContext, !isLabeled || grammar[index] == .article { return nil }
        return [(quantity.text, index..<quantity.end)] + scale
    }

    /// The unit after the second number of “five to ten dollars”.
    private func unitOfRange(at index: Int) -> NumberWord? {
        guard grammar.joinsRange(at: index), let second = grammar.quantity(at: index + 1, style) else { return nil }
        return grammar[second.scale.map { $0 + 1 } ?? second.end]
    }

    /// A phone number with the code of its country: “plus four nine three oh one two three four”.
    private func international(at index: Int) -> [Part]? {
        grammar.phoneDigits(at: index + 1).map { [("+" + $0.text, index..<$0.end)] }
    }

    private func with(_ quantity: Quantity, _ index: Int, suffix: String, _ scale: [Part], end: Int) -> [Part] {
        guard let last = scale.last else { return [(quantity.text + suffix, index..<end)] }
        return [(quantity.text, index..<quantity.end), (last.text + suffix, last.words.lowerBound..<end)]
    }

    private func money(_ quantity: Quantity, _ index: Int, _ symbol: String, _ scale: [Part], end: Int) -> [Part] {
        var (text, end) = (quantity.text, end)
        let isNegative = text.hasPrefix("-")
        if isNegative { text.removeFirst() }
        if scale.isEmpty {
            if quantity.hasFraction {
                if text.suffix(2).first.map(String.init) == style.decimalSeparator { text += "0" }
            } else if let cents = grammar.cents(at: end) ?? grammar.bareCents(at: end) {
                text += style.decimalSeparator + (cents.value < 10 ? "0" : "") + String(cents.value)
                end = cents.end
            }
        }
        let amount = (isNegative ? "-" : "") + symbol + text
        guard let last = scale.last else { return [(amount, index..<end)] }
        return [(amount, index..<quantity.end), (last.text, last.words.lowerBound..<end)]
    }

    private func ordinal(at index: Int) -> [Part]? {
        guard let ordinal = grammar.ordinal(at: index), ordinal.value >= 10 else { return nil }
        // “Hundredth” alone is as vague as “hundred”.
        if ordinal.value >= 100, ordinal.end == index + 1 { return nil }
        return [(style.ordinal(ordinal.value), index..<ordinal.end)]
    }

    /// “Nineteen eighties”.
    private func decade(at index: Int) -> [Part]? {
        guard let century = grammar.number(at: index), (13...20).contains(century),
            case .decade(let decade) = grammar[index + 1]
        else { return nil }
        return [("\(century * 100 + decade % 100)s", index..<(index + 2))]
    }
}
