/// A number as it is written, before its unit.
struct Quantity {
    var text: String
    var end: Int
    /// The scale that is written as a word: the “million” of “2.5 million”.
    var scale: Int?
    /// Whether the number needs a unit or a label to be written with digits.
    var needsContext = false
    var hasFraction = false
}

extension NumberGrammar {
    /// Returns the longest number that begins here, without a unit.
    func quantity(at index: Int, _ style: SpokenNumbers.Words) -> Quantity? {
        if self[index] == .minus {
            guard var rest = quantity(at: index + 1, style), !rest.needsContext || isDigits(rest.text) else {
                return nil
            }
            rest.text = "-" + rest.text
            rest.needsContext = false
            return rest
        }
        let whole = [
            hourOfForces(at: index), digitString(at: index, style), paired(at: index), plain(at: index, style),
        ]
        .compactMap(\.self).max { $0.end < $1.end }
        return decimal(at: index, whole, style) ?? whole
    }

    private func isDigits(_ text: String) -> Bool { text.utf8.allSatisfy { (48...57).contains($0) } }

    private func plain(at index: Int, _ style: SpokenNumbers.Words) -> Quantity? {
        guard let cardinal = cardinal(at: index) else { return nil }
        if let scale = cardinal.roundScale, scale.value >= 1_000_000 {
            let count = style.grouped(cardinal.value / scale.value)
            return Quantity(text: count, end: scale.index, scale: scale.index, needsContext: cardinal.isVague)
        }
        return Quantity(
            text: style.grouped(cardinal.value), end: cardinal.end,
            needsContext: cardinal.isVague || cardinal.value < 10)
    }

    private func paired(at index: Int) -> Quantity? {
        pair(at: index).map { Quantity(text: String($0.value), end: $0.end) }
    }

    private func digitString(at index: Int, _ style: SpokenNumbers.Words) -> Quantity? {
        digits(at: index).map { Quantity(text: style.phone($0.text), end: $0.end) }
    }

    /// “Oh eight hundred”.
    private func hourOfForces(at index: Int) -> Quantity? {
        guard digit(at: index) == 0, let hour = number(at: index + 1), (1...9).contains(hour),
            scale(at: index + 2) == 100
        else { return nil }
        return Quantity(text: "0\(hour)00", end: index + 3)
    }

    /// A number with a point, or several as in a version: “three point one four”, “one point two point three”.
    private func decimal(at index: Int, _ whole: Quantity?, _ style: SpokenNumbers.Words) -> Quantity? {
        guard let whole = whole ?? zero(before: index), whole.scale == nil, self[whole.end] == .point else {
            return nil
        }
        var quantity = whole
        var points = 0
        while self[quantity.end] == .point, let fraction = fraction(at: quantity.end + 1) {
            points += 1
            quantity.text += (points > 1 ? "." : style.decimalSeparator) + fraction.text
            quantity.end = fraction.end
        }
        guard points > 0 else { return nil }
        if points > 1 { quantity.text = quantity.text.replacing(style.decimalSeparator, with: ".") }
        (quantity.needsContext, quantity.hasFraction) = (false, true)
        if let scale = scale(at: quantity.end), scale >= 1_000 { quantity.scale = quantity.end }
        return quantity
    }

    /// The zero that was not said before “point oh five”. Without a zero after it, “point” is more often a word: “at this point
    /// five people left”.
    private func zero(before index: Int) -> Quantity? {
        guard self[index] == .point, let fraction = fraction(at: index + 1), fraction.text.hasPrefix("0"),
            fraction.text.utf8.count > 1
        else { return nil }
        return Quantity(text: "0", end: index)
    }

    private func fraction(at index: Int) -> (text: String, end: Int)? {
        if let digits = digits(at: index, minimum: 1) { return digits }
        if let digit = digit(at: index) { return (String(digit), index + 1) }
        return belowHundred(at: index).map { (String($0.value), $0.end) }
    }
}

extension SpokenNumbers.Words {
    /// Returns a number with separators from five digits on.
    func grouped(_ value: Int) -> String {
        let digits = Array(String(value))
        guard digits.count > 4 else { return String(digits) }
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += groupSeparator }
            text.append(digit)
        }
        return text
    }

    /// Returns digits in the groups of a phone number, if they are as many.
    func phone(_ digits: String) -> String {
        guard let groups = phoneGroups[digits.utf8.count] else { return digits }
        var rest = digits[...]
        return groups.map { count in
            defer { rest = rest.dropFirst(count) }
            return String(rest.prefix(count))
        }.joined(separator: "-")
    }

    /// Returns an ordinal with digits: `21st`.
    func ordinal(_ value: Int) -> String {
        let suffixes = [1: "st", 2: "nd", 3: "rd"]
        let isTeen = (11...13).contains(value % 100)
        return grouped(value) + (isTeen ? "th" : suffixes[value % 10] ?? "th")
    }
}
