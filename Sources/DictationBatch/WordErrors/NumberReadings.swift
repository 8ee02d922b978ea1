/// The ways to say a number that is written in digits: “1862” is “eighteen sixty two”, “one thousand eight hundred sixty
/// two” or “one eight six two”.
struct NumberReadings {
    /// A way to say some of the digits.
    struct Part {
        var digits: Range<Int>
        var words: [String]
    }

    /// The number of digits.
    let count: Int
    /// The parts, in the order of their first digits. A reading is a chain of parts from the first digit to the last.
    let parts: [Part]
    /// The likeliest reading.
    let usual: [String]

    /// Creates the readings of a number; `nil` when the text is not one to eighteen digits.
    init?(_ text: some StringProtocol) {
        let digits = text.compactMap(\.wholeNumberValue)
        guard (1...18).contains(digits.count), digits.count == text.count else { return nil }
        count = digits.count
        let value = digits.reduce(0) { $0 * 10 + $1 }
        var parts: [Part] = []
        for index in digits.indices {
            parts.append(Part(digits: index..<index + 1, words: [Self.small[digits[index]]]))
            guard index + 1 < digits.count else { continue }
            let pair = digits[index] * 10 + digits[index + 1]
            if pair >= 10 { parts.append(Part(digits: index..<index + 2, words: Self.words(pair))) }
            if pair == 0, index > 0 { parts.append(Part(digits: index..<index + 2, words: ["hundred"])) }
        }
        let isCode = digits.count > 6 || (digits[0] == 0 && digits.count > 1)
        if !isCode, digits.count > 2 { parts.append(Part(digits: 0..<digits.count, words: Self.words(value))) }
        self.parts = parts.sorted { $0.digits.lowerBound < $1.digits.lowerBound }
        let isYear = digits.count == 4 && ((1_100..<2_000).contains(value) || (2_010..<2_100).contains(value))
        usual =
            isCode ? digits.map { Self.small[$0] } : isYear ? Self.year(value) : Self.words(value)
    }

    /// Returns the ordinal of a cardinal number: “forty second” for “forty two”.
    static func ordinal(_ cardinal: [String]) -> [String] {
        guard let last = cardinal.last else { return [] }
        let stem = last.hasSuffix("y") ? last.dropLast() + "ie" : last[...]
        return cardinal.dropLast() + [irregularOrdinals[last] ?? stem + "th"]
    }

    private static func year(_ year: Int) -> [String] {
        let (century, rest) = year.quotientAndRemainder(dividingBy: 100)
        return words(century) + (rest == 0 ? ["hundred"] : rest < 10 ? ["zero", small[rest]] : words(rest))
    }

    private static func words(_ number: Int) -> [String] {
        if number < small.count { return [small[number]] }
        for (unit, name) in [(1_000_000, "million"), (1_000, "thousand"), (100, "hundred")] where number >= unit {
            return words(number / unit) + [name] + (number % unit == 0 ? [] : words(number % unit))
        }
        return [tens[number / 10]] + (number % 10 == 0 ? [] : [small[number % 10]])
    }

    private static let small = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    ]
    private static let tens = [
        "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ]
    private static let irregularOrdinals = [
        "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
        "twelve": "twelfth",
    ]
}
