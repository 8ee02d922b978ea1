public import DictationCore

extension SpokenNumbers {
    /// The words with which a language says numbers, dates, times and amounts of money.
    ///
    /// To support another language, write its table. Spanish begins like this:
    ///
    ///     let spanish = try SpokenNumbers.Words(parsing: """
    ///         number    1   uno, una
    ///         number    20  veinte
    ///         number    30  treinta
    ///         link          y
    ///         scale   1000  mil
    ///         point         coma
    ///         format        , .
    ///         """)
    ///
    /// Each line has a kind, perhaps a value, and words with commas between them. The kinds are:
    ///
    /// | Kind | Value | Words |
    /// |---|---|---|
    /// | `number` | 0 to 99 | the cardinals that are one word |
    /// | `scale` | 100, 1000, 1000000 … | words that multiply |
    /// | `ordinal` | 1 … | the ordinals that are one word |
    /// | `decade` | 20 … 90, 100 | “twenties”, “hundreds” |
    /// | `and`, `link` | | the words between hundreds and the rest, and between tens and units |
    /// | `article` | | a word for “one” before a scale |
    /// | `oh` | | a zero among other digits only |
    /// | `repeat` | 2, 3 | “double”, “triple” |
    /// | `point`, `minus`, `percent` | | |
    /// | `currency` | the symbol | the names of the currency |
    /// | `cents` | | the hundredth part of a currency |
    /// | `month` | 1 … 12 | the month; a name with `?` after it is also another word |
    /// | `meridiem` | `AM`, `PM` | |
    /// | `clock`, `at`, `half`, `quarter`, `past`, `to`, `or`, `of`, `the` | | the words of times, ranges and dates |
    /// | `daytime` | | words after which an hour and minutes are a time, such as “in the morning” |
    /// | `plus` | | the sign before a phone number with the code of a country |
    /// | `label` | | words before which a small number has digits, such as “page” |
    /// | `counted` | | words before which “twenty twenty four” is no year, such as “hours” |
    /// | `hesitation` | | sounds inside a number that it leaves out, such as “uh” |
    /// | `format` | | the decimal separator and the separator of thousands |
    /// | `phone` | | the lengths of the groups of a phone number |
    public struct Words: Sendable {
        private(set) var table = PhraseTable<NumberWord>()
        private(set) var decimalSeparator = "."
        private(set) var groupSeparator = ","
        /// The groups of a phone number, by its number of digits.
        private(set) var phoneGroups: [Int: [Int]] = [:]
        private(set) var months: [Int: String] = [:]
        /// The sounds that people make inside a number while they think.
        private(set) var hesitations: Set<String> = []
        /// Words after which two numbers are no year and no cents, such as “hours”.
        private(set) var counted: Set<String> = []

        /// Reads a table.
        ///
        /// - Throws: `DictationError.Code.invalidInput` with the number of the line that can't be read.
        public init(parsing text: String) throws(DictationError) {
            for line in TableLine.lines(of: text) {
                switch line.kind {
                case "format":
                    let (decimal, group) = line.firstWord
                    guard !decimal.isEmpty, !group.isEmpty else { throw line.error("needs two separators.") }
                    (decimalSeparator, groupSeparator) = (decimal, group)
                case "phone":
                    let groups = line.rest.split(separator: " ").compactMap { Int($0) }.filter { (1...20).contains($0) }
                    guard !groups.isEmpty, groups.count < 10 else { throw line.error("needs the lengths of groups.") }
                    phoneGroups[groups.reduce(0, +)] = groups
                case "hesitation", "counted":
                    let names = line.rest.split(separator: ",").map { $0.trimmed.folded }.filter { !$0.isEmpty }
                    guard !names.isEmpty else { throw line.error("has no words.") }
                    if line.kind == "counted" { counted.formUnion(names) } else { hesitations.formUnion(names) }
                default: try add(line)
                }
            }
        }

        private mutating func add(_ line: TableLine) throws(DictationError) {
            let (value, rest) = NumberWord.kindsWithValue.contains(line.kind) ? line.firstWord : ("", line.rest)
            let names = rest.split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
            guard !names.isEmpty else { throw line.error("has no words.") }
            for name in names {
                let isAmbiguous = name.hasSuffix("?")
                guard let word = NumberWord(kind: line.kind, value: value, isAmbiguous: isAmbiguous) else {
                    throw line.error("has an unknown kind or value.")
                }
                let name = isAmbiguous ? String(name.dropLast()) : name
                if case .month(let number, _) = word { months[number] = months[number] ?? name }
                table.insert(name, word)
            }
        }

        /// Returns the built-in table of a language; `nil` if there is none.
        public init?(_ locale: SpeechLocale) {
            guard let text = Self.builtIn[locale.language], let words = try? SpokenNumbers.Words(parsing: text) else {
                return nil
            }
            self = words
        }

        /// The languages that have a built-in table.
        public static var languages: [String] { builtIn.keys.sorted() }

        /// English.
        public static let english = SpokenNumbers.Words("en") ?? SpokenNumbers.Words()

        private init() {}
    }
}

/// What a word can be in a number, a date, a time or an amount of money.
enum NumberWord: Sendable, Hashable {
    /// A cardinal from 0 to 99 that is one word.
    case number(Int)
    case scale(Int)
    case ordinal(Int)
    case decade(Int)
    case repeated(Int)
    case currency(String)
    case month(Int, isAmbiguous: Bool)
    case meridiem(String)
    case and, link, article, oh, point, minus, plus, percent, cents, clock, at, daytime, half, quarter, past, to, or, of
    case the, label
    /// A comma between two words, which no table has.
    case comma

    static let kindsWithValue: Set<String> = [
        "number", "scale", "ordinal", "decade", "repeat", "currency", "month", "meridiem",
    ]
    private static let plain: [String: NumberWord] = [
        "and": .and, "link": .link, "article": .article, "oh": .oh, "point": .point, "minus": .minus, "plus": .plus,
        "percent": .percent, "cents": .cents, "clock": .clock, "at": .at, "daytime": .daytime, "half": .half,
        "quarter": .quarter, "past": .past, "to": .to, "or": .or, "of": .of, "the": .the, "label": .label,
    ]

    init?(kind: String, value: String, isAmbiguous: Bool) {
        if let word = Self.plain[kind] {
            self = word
            return
        }
        switch (kind, Int(value)) {
        case ("number", let value?) where (0...99).contains(value): self = .number(value)
        case ("scale", let value?) where (100...1_000_000_000_000).contains(value): self = .scale(value)
        case ("ordinal", let value?) where (1...1_000_000_000_000).contains(value): self = .ordinal(value)
        case ("decade", let value?) where (10...100).contains(value): self = .decade(value)
        case ("repeat", let value?) where (2...9).contains(value): self = .repeated(value)
        case ("month", let value?) where (1...12).contains(value): self = .month(value, isAmbiguous: isAmbiguous)
        case ("currency", nil) where !value.isEmpty: self = .currency(value)
        case ("meridiem", nil) where !value.isEmpty: self = .meridiem(value)
        default: return nil
        }
    }
}
