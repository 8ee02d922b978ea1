import DictationCore
import DictationTesting
import Testing

@testable import DictationText

/// Numbers as a child learns to say them, and as a newspaper prints them.
@Suite struct SurfaceNumberTests {
    private static let small = """
        zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen \
        eighteen nineteen
        """.split(separator: " ").map(String.init)
    private static let tens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

    /// Says a number below a hundred.
    private static func pair(_ number: Int, hyphen: Bool) -> String {
        guard number >= 20 else { return small[number] }
        let unit = number % 10
        return tens[number / 10] + (unit > 0 ? (hyphen ? "-" : " ") + small[unit] : "")
    }

    /// Says a number below a thousand.
    private static func group(_ number: Int, and: Bool, hyphen: Bool) -> String {
        guard number >= 100 else { return pair(number, hyphen: hyphen) }
        let rest = number % 100
        return small[number / 100] + " hundred"
            + (rest > 0 ? (and ? " and " : " ") + pair(rest, hyphen: hyphen) : "")
    }

    static func said(_ number: Int, and: Bool = false, hyphen: Bool = false) -> String {
        var parts: [String] = []
        var rest = number
        for (name, scale) in [
            ("trillion", 1_000_000_000_000), ("billion", 1_000_000_000), ("million", 1_000_000), ("thousand", 1_000),
        ] where rest >= scale {
            parts.append(group(rest / scale, and: and, hyphen: hyphen) + " " + name)
            rest %= scale
        }
        if rest > 0 || parts.isEmpty {
            parts.append(
                (and && !parts.isEmpty && rest < 100 ? "and " : "") + group(rest, and: and, hyphen: hyphen))
        }
        return parts.joined(separator: " ")
    }

    /// Prints a number: small ones as words, four digits without a comma, whole millions with their name.
    static func printed(_ number: Int) -> String {
        if number < 10 { return small[number] }
        for (name, scale) in [
            ("trillion", 1_000_000_000_000), ("billion", 1_000_000_000), ("million", 1_000_000),
        ] where number >= scale && number % scale == 0 && number / scale < 1_000 { return "\(number / scale) \(name)" }
        return digits(number)
    }

    /// The digits of a number, in groups of three from ten thousand on.
    static func digits(_ number: Int) -> String {
        guard number >= 10_000 else { return "\(number)" }
        var (text, rest) = ("", number)
        while rest >= 1_000 {
            let group = "\(rest % 1_000)"
            text = "," + String(repeating: "0", count: 3 - group.count) + group + text
            rest /= 1_000
        }
        return "\(rest)" + text
    }

    private func check(_ numbers: [Int], and: Bool, hyphen: Bool) {
        let spoken = numbers.map { "about \(Self.said($0, and: and, hyphen: hyphen)) cats" }.joined(separator: " ")
        let expected = numbers.map { "about \(Self.printed($0)) cats" }.joined(separator: " ")
        let text = written(spoken, by: [SpokenNumbers()])
        guard text != expected else { return }
        let wrong = zip(text.split(separator: "about "), expected.split(separator: "about ")).first { $0 != $1 }
        Issue.record("\(String(describing: wrong))")
    }

    @Test(arguments: [false, true], [false, true])
    func everyNumberBelowAThousandIsPrinted(_ and: Bool, _ hyphen: Bool) {
        check(Array(0..<1_000), and: and, hyphen: hyphen)
    }

    @Test(arguments: [false, true]) func anyNumberIsPrinted(_ and: Bool) {
        var random = SplitMix64(seed: and ? 1 : 2)
        let numbers = (0..<600).map { index -> Int in
            let limit = [10_000, 1_000_000, 1_000_000_000, 1_000_000_000_000_000][index % 4]
            // Round numbers are said more often than others.
            let step = [1, 1, 100, 1_000, 100_000, 1_000_000][Int(random.next() % 6)]
            let number = Int(random.next() % UInt64(limit))
            return number / step * step
        }
        check(numbers, and: and, hyphen: false)
    }

    @Test func everyYearOfSevenCenturiesIsPrinted() {
        let years = Array(1_300...1_999) + Array(2_010...2_099)
        let spoken = years.map { year in
            let (century, rest) = (year / 100, year % 100)
            let end = rest == 0 ? "hundred" : rest < 10 ? "oh " + Self.small[rest] : Self.pair(rest, hyphen: false)
            return "in \(Self.pair(century, hyphen: false)) \(end) we"
        }
        #expect(
            written(spoken.joined(separator: " "), by: [SpokenNumbers()])
                == years.map { "in \($0) we" }.joined(separator: " "))
    }

    @Test func everyDayOfTheYearIsPrinted() {
        let months = """
            January February March April May June July August September October November December
            """.split(separator: " ")
        let ordinals =
            """
            first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth \
            fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
            """.split(separator: " ").map(String.init)
        for month in months {
            for day in 1...31 {
                let name =
                    day <= 20
                    ? ordinals[day - 1]
                    : day == 30 ? "thirtieth" : (day < 30 ? "twenty " : "thirty ") + ordinals[day % 10 - 1]
                let spoken = "on \(month.lowercased()) \(name) twenty twenty six we met"
                #expect(written(spoken, by: [SpokenNumbers()]) == "on \(month) \(day), 2026 we met")
            }
        }
    }

    @Test func everyMinuteOfTheDayIsPrinted() {
        for hour in 1...12 {
            for minute in 1..<60 {
                let minutes = (minute < 10 ? "oh " : "") + Self.pair(minute, hyphen: false)
                let time = "\(hour):\(minute < 10 ? "0" : "")\(minute)"
                let spoken = "\(Self.small[hour]) \(minutes)"
                #expect(written("we met at \(spoken) there", by: [SpokenNumbers()]) == "we met at \(time) there")
                #expect(written("\(spoken) pm", by: [SpokenNumbers()]) == "\(time) PM")
            }
        }
    }

    @Test func amountsOfMoneyArePrinted() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<300 {
            let (dollars, cents) = (Int(random.next() % 100_000) + 2, Int(random.next() % 98) + 2)
            let spoken =
                "it cost \(Self.said(dollars)) dollars and \(Self.pair(cents, hyphen: false)) cents in all"
            let expected = "it cost $\(Self.digits(dollars)).\(cents < 10 ? "0" : "")\(cents) in all"
            #expect(written(spoken, by: [SpokenNumbers()]) == expected, "\(spoken)")
        }
    }

    @Test func decimalsKeepTheirDigits() {
        var random = SplitMix64(seed: 9)
        for _ in 0..<300 {
            let whole = Int(random.next() % 1_000)
            let places = (0..<Int(random.next() % 6 + 1)).map { _ in Int(random.next() % 10) }
            let isOh = random.next() % 2 == 0
            let spoken = places.map { $0 == 0 && isOh ? "oh" : Self.small[$0] }.joined(separator: " ")
            let expected = "\(whole).\(places.map(String.init).joined())"
            #expect(
                written("was \(Self.said(whole)) point \(spoken) then", by: [SpokenNumbers()])
                    == "was \(expected) then", "\(whole) \(spoken)")
            #expect(
                written("minus \(Self.said(whole)) point \(spoken) percent", by: [SpokenNumbers()])
                    == "-\(expected)%")
        }
    }
}
