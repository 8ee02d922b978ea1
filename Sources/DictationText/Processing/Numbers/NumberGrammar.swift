/// Reads numbers from number words. Each function returns the number and the index after its last word, or `nil`.
struct NumberGrammar {
    let words: [NumberWord]
    /// Whether a word such as “hours” follows the last word, so that the number before it counts something.
    var isCounting = false

    subscript(index: Int) -> NumberWord? { words.indices.contains(index) ? words[index] : nil }

    /// A cardinal: “twenty three”, “two hundred and five”, “one million”.
    struct Cardinal {
        var value: Int
        var end: Int
        /// The last scale of a round number, and its index: “million” in “two million”.
        var roundScale: (value: Int, index: Int)?
        /// Whether it is only an article and a scale: “a hundred”.
        var isVague = false

        /// Returns the number that ends with the scale after this one.
        fileprivate func multiplied(by scale: Int) -> Cardinal {
            Cardinal(value: value * scale, end: end + 1, roundScale: (scale, end))
        }
    }

    func number(at index: Int) -> Int? {
        if case .number(let value) = self[index] { return value }
        return nil
    }

    func scale(at index: Int) -> Int? {
        if case .scale(let value) = self[index] { return value }
        return nil
    }

    /// A digit among digits, “oh” included.
    func digit(at index: Int) -> Int? {
        if self[index] == .oh { return 0 }
        return number(at: index).flatMap { $0 < 10 ? $0 : nil }
    }

    /// A number from 1 to 99.
    func belowHundred(at index: Int) -> (value: Int, end: Int)? {
        guard let first = number(at: index), first > 0 else { return nil }
        guard first >= 20, first % 10 == 0 else { return (first, index + 1) }
        let next = self[index + 1] == .link ? index + 2 : index + 1
        if let unit = number(at: next), (1...9).contains(unit) { return (first + unit, next + 1) }
        return (first, index + 1)
    }

    /// A number from 1 to 999, or up to 9,999 in hundreds: “nineteen hundred”.
    private func part(at index: Int) -> (value: Int, end: Int, isVague: Bool)? {
        let isArticle = self[index] == .article
        guard let first = isArticle ? (value: 1, end: index + 1) : belowHundred(at: index) else { return nil }
        guard scale(at: first.end) == 100 else {
            return isArticle && scale(at: first.end) == nil ? nil : (first.value, first.end, isArticle)
        }
        let start = first.end + 1
        // The digits of “eight hundred five five five” are a number of their own.
        if digits(at: start) != nil { return (first.value * 100, start, isArticle) }
        if let rest = belowHundred(at: self[start] == .and ? start + 1 : start), scale(at: rest.end) != 100 {
            return (first.value * 100 + rest.value, rest.end, false)
        }
        return (first.value * 100, start, isArticle)
    }

    func cardinal(at index: Int) -> Cardinal? {
        if number(at: index) == 0 { return Cardinal(value: 0, end: index + 1) }
        guard let first = part(at: index) else { return nil }
        guard var scale = largeScale(at: first.end), first.value < 1_000 else {
            return Cardinal(value: first.value, end: first.end, isVague: first.isVague)
        }
        var cardinal = Cardinal(
            value: first.value * scale, end: first.end + 1, roundScale: (scale, first.end), isVague: first.isVague)
        // “One thousand million”.
        if let larger = largeScale(at: cardinal.end), larger > scale, cardinal.value < 1_000_000 {
            cardinal = cardinal.multiplied(by: larger)
            scale = larger
        }
        while let next = part(at: self[cardinal.end] == .and ? cardinal.end + 1 : cardinal.end), !next.isVague {
            let factor = largeScale(at: next.end)
            guard next.value < 1_000 else { break }
            // “One thousand two hundred thirty four million”.
            if let factor, factor > scale, cardinal.value < 1_000_000 {
                let sum = Cardinal(value: cardinal.value + next.value, end: next.end)
                cardinal = sum.multiplied(by: factor)
                scale = factor
                continue
            }
            guard factor ?? 1 < scale else { break }
            cardinal = Cardinal(
                value: cardinal.value + next.value * (factor ?? 1), end: factor == nil ? next.end : next.end + 1)
            guard let factor else { break }
            scale = factor
        }
        return cardinal
    }

    private func largeScale(at index: Int) -> Int? { scale(at: index).flatMap { $0 > 100 ? $0 : nil } }

    /// An ordinal: “twenty first”, “one hundredth”.
    func ordinal(at index: Int) -> (value: Int, end: Int)? {
        for position in index..<min(words.count, index + 16) {
            guard case .ordinal(let value) = words[position] else { continue }
            if position == index { return (value, position + 1) }
            var words = Array(self.words[index...position])
            words[position - index] = value >= 100 ? .scale(value) : .number(value)
            guard let cardinal = NumberGrammar(words: words).cardinal(at: 0), cardinal.end == words.count else {
                return nil
            }
            return (cardinal.value, position + 1)
        }
        return nil
    }

    /// At least `minimum` digits: “four oh four”, “double oh seven”. The last digit is left to a scale after it.
    func digits(at index: Int, minimum: Int = 3) -> (text: String, end: Int)? {
        var text = ""
        var next = index
        while true {
            var count = 1
            var position = next
            if case .repeated(let times) = self[next] { (count, position) = (times, next + 1) }
            guard let digit = digit(at: position) else { break }
            if scale(at: position + 1) != nil, digit > 0 { break }
            text += String(repeating: String(digit), count: count)
            next = position + 1
        }
        return text.utf8.count >= minimum ? (text, next) : nil
    }

    /// The digits of a phone number: “plus one eight hundred five five five” has “eight hundred” among its digits, and “plus
    /// forty nine” a number of two.
    func phoneDigits(at index: Int) -> (text: String, end: Int)? {
        var text = ""
        var next = index
        while true {
            if let hundreds = digit(at: next), hundreds > 0, scale(at: next + 1) == 100 {
                (text, next) = (text + "\(hundreds)00", next + 2)
            } else if let digits = digits(at: next, minimum: 1) {
                (text, next) = (text + digits.text, digits.end)
            } else if let pair = belowHundred(at: next), pair.value >= 10, scale(at: pair.end) == nil {
                (text, next) = (text + "\(pair.value)", pair.end)
            } else {
                return text.utf8.count >= 7 ? (text, next) : nil
            }
        }
    }

    /// Two numbers side by side that are one: “nineteen eighty four”, “three fifteen”, “nineteen oh five”. From ten to
    /// twelve, the first is more often an hour or a number of its own. “Twenty twenty four hours” are two numbers.
    func pair(at index: Int) -> (value: Int, end: Int)? {
        guard let first = belowHundred(at: index), (1...9).contains(first.value) || (13...20).contains(first.value),
            let second = lastTwoDigits(at: first.end),
            !isCounting || second.end < words.count || first.value < 10
        else { return nil }
        return (first.value * 100 + second.value, second.end)
    }

    /// A number from 10 to 99, or “oh” and a digit.
    func lastTwoDigits(at index: Int) -> (value: Int, end: Int)? {
        if self[index] == .oh, let digit = number(at: index + 1), (1...9).contains(digit) { return (digit, index + 2) }
        guard let second = belowHundred(at: index), second.value >= 10, scale(at: second.end) == nil else { return nil }
        return second
    }

    /// Whether a word joins the ends of a range: “five to ten”, “three or four”.
    func joinsRange(at index: Int) -> Bool { self[index] == .to || self[index] == .or }

    /// “Fifty cents”, with an “and” before it or without.
    func cents(at index: Int) -> (value: Int, end: Int)? {
        let start = self[index] == .and ? index + 1 : index
        guard let number = belowHundred(at: start), self[number.end] == .cents else { return nil }
        return (number.value, number.end + 1)
    }

    /// The cents of “nine dollars ninety nine”, if no word makes them another number.
    func bareCents(at index: Int) -> (value: Int, end: Int)? {
        guard let cents = lastTwoDigits(at: index) else { return nil }
        switch self[cents.end] {
        case nil: return isCounting ? nil : cents
        case .and, .at, .or, .to, .of, .the, .article, .comma, .plus, .minus: return cents
        default: return nil
        }
    }

    /// A day of a month.
    func day(at index: Int, isOrdinal: Bool) -> (value: Int, end: Int)? {
        let day = isOrdinal ? ordinal(at: index) : belowHundred(at: index)
        return day.flatMap { (1...31).contains($0.value) ? $0 : nil }
    }

    static let years = 1_100...2_999

    /// A year from 1100 to 2999.
    func year(at index: Int) -> (value: Int, end: Int)? {
        let pair = pair(at: index)
        let cardinal = cardinal(at: index).map { (value: $0.value, end: $0.end) }
        return [pair, cardinal].compactMap(\.self).filter { Self.years.contains($0.value) }.max { $0.end < $1.end }
    }
}
