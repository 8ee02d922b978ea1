import DictationCore

/// Finds the commas that an engine wrote inside a number: “March, third, twenty twenty four”, “two thousand, twenty
/// four”, “three, thirty PM”.
///
/// A comma stays unless both sides together are something that people say without a pause, and that no list contains.
struct InnerCommas {
    private let words: SpokenNumbers.Words
    private let tokens: [[NumberToken]]
    private let groups: [NumberGrammar]

    /// Returns the words of a run. A comma inside a number belongs to the word before it and is left out with the number;
    /// any other comma is a word of its own.
    static func joining(_ run: [NumberToken], _ words: SpokenNumbers.Words) -> [NumberToken] {
        guard run.contains(where: { $0.word == .comma }) else { return run }
        let commas = run.filter { $0.word == .comma }
        let inner = InnerCommas(run, words)
        let isInner = inner.places
        var joined: [NumberToken] = []
        for (index, group) in inner.tokens.enumerated() {
            joined += group
            guard index < commas.count else { break }
            if isInner.contains(index) {
                joined[joined.count - 1].pause += commas[index].pieces + commas[index].pause
            } else {
                joined.append(commas[index])
            }
        }
        return joined
    }

    private init(_ run: [NumberToken], _ words: SpokenNumbers.Words) {
        self.words = words
        tokens = run.split(omittingEmptySubsequences: false) { $0.word == .comma }.map(Array.init)
        groups = tokens.map { NumberGrammar(words: $0.map(\.word)) }
    }

    /// The indices of the commas inside numbers.
    private var places: Set<Int> {
        let commas = groups.indices.dropLast().filter { !groups[$0].words.isEmpty && !groups[$0 + 1].words.isEmpty }
        let certain = Set(commas.filter { isInDate($0) || isInTime($0) || isInMoney($0) }).union(phoneCommas)
        var cardinal = commas.filter { !certain.contains($0) && isInCardinal($0) }
        // A number among others that a comma separates is one of a list.
        while true {
            let inner = certain.union(cardinal)
            let kept = cardinal.filter { !isInList($0, inner) }
            if kept.count == cardinal.count { return inner }
            cardinal = kept
        }
    }

    /// The word at an index of a group. After the group's end, the first word of the next group.
    private func word(_ group: Int, _ index: Int) -> NumberWord? {
        if let word = groups[group][index] { return word }
        return index == groups[group].words.count && group + 1 < groups.count ? groups[group + 1][0] : nil
    }

    // MARK: Dates

    /// “March, third” before a year, “March third, twenty twenty four”, “June, twenty twenty four”.
    private func isInDate(_ comma: Int) -> Bool {
        let (left, right) = (groups[comma], groups[comma + 1])
        let count = left.words.count
        if case .month = left[count - 1] {
            if let year = right.pair(at: 0), NumberGrammar.years.contains(year.value) { return true }
            if let day = right.day(at: 0, isOrdinal: true) { return year(comma + 1, at: day.end) != nil }
            guard let day = right.day(at: 0, isOrdinal: false) else { return false }
            return day.end == right.words.count && comma + 2 < groups.count && groups[comma + 2].pair(at: 0) != nil
        }
        guard right.year(at: 0) != nil else { return false }
        // The month may be before a comma of its own.
        let before = comma > 0 ? groups[comma - 1].words.suffix(1) : []
        let date = NumberGrammar(words: before + left.words)
        return date.words.indices.contains { index in
            guard case .month = date[index] else { return false }
            let start = date[index + 1] == .the ? index + 2 : index + 1
            return [true, false].contains { date.day(at: start, isOrdinal: $0)?.end == date.words.count }
        }
    }

    private func year(_ group: Int, at index: Int) -> Int? {
        if let year = groups[group].year(at: index) { return year.value }
        guard index == groups[group].words.count, group + 1 < groups.count else { return nil }
        return groups[group + 1].year(at: 0)?.value
    }

    // MARK: Times

    /// “Three, thirty PM”, “three thirty, PM”.
    private func isInTime(_ comma: Int) -> Bool {
        let (left, right) = (groups[comma], groups[comma + 1])
        let count = left.words.count
        guard let last = left.number(at: count - 1) else { return false }
        if case .meridiem = right[0] {
            // “At three, am I late?”
            return tokens[comma + 1][0].text != "am"
        }
        guard (1...12).contains(last), left.belowHundred(at: count - 2)?.end != count,
            let minutes = right.lastTwoDigits(at: 0), minutes.value < 60, minutes.value > 12 || right[0] == .oh
        else { return false }
        // “Nine, ten, fifteen PM” are three times.
        if count == 1, comma > 0, case .number = groups[comma - 1].words.last { return false }
        switch word(comma + 1, minutes.end) {
        case .meridiem, .daytime: return true
        default: return false
        }
    }

    // MARK: Amounts

    /// “Twenty dollars, and fifty cents”.
    private func isInMoney(_ comma: Int) -> Bool {
        guard case .currency = groups[comma].words.last else { return false }
        return groups[comma + 1].cents(at: 0) != nil
    }

    /// The commas of groups of digits that are a phone number.
    private var phoneCommas: Set<Int> {
        var commas: Set<Int> = []
        var lengths: [Int] = []
        for index in groups.indices {
            let digits = groups[index].digits(at: 0)
            let isWhole = digits.map { $0.end == groups[index].words.count } ?? false
            if isWhole, let digits { lengths.append(digits.text.utf8.count) }
            guard !isWhole || index + 1 == groups.count else { continue }
            let end = isWhole ? index : index - 1
            if lengths.count > 1, words.phoneGroups[lengths.reduce(0, +)] == lengths {
                commas.formUnion((end - lengths.count + 1)..<end)
            }
            lengths = []
        }
        return commas
    }

    // MARK: Cardinals

    /// “One hundred, and twenty three”, “two thousand, twenty four”, “one million, two hundred thousand”.
    private func isInCardinal(_ comma: Int) -> Bool {
        let (left, right) = (groups[comma], groups[comma + 1])
        let count = left.words.count
        let hasAnd = left[count - 1] == .and || right[0] == .and
        guard let scale = left.scale(at: left[count - 1] == .and ? count - 2 : count - 1), scale > 100 || hasAnd,
            let start = start(ofNumberOver: comma), hasAnd || left[start] != .article,
            // “A hundred, and one was red.”
            let rest = right.cardinal(at: right[0] == .and ? 1 : 0), rest.value >= 10,
            scale == 100 || rest.value < scale
        else { return false }
        return true
    }

    /// Returns where the number begins that goes on after a comma.
    private func start(ofNumberOver comma: Int) -> Int? {
        let left = groups[comma].words
        let whole = NumberGrammar(words: left + groups[comma + 1].words)
        return left.indices.first { whole.cardinal(at: $0).map { $0.end > left.count } ?? false }
    }

    /// Whether other numbers precede or follow the number around a comma, with commas that are not inside it.
    private func isInList(_ comma: Int, _ inner: Set<Int>) -> Bool {
        let left = groups[comma]
        if comma > 0, !inner.contains(comma - 1), !groups[comma - 1].words.isEmpty,
            start(ofNumberOver: comma) == 0
        {
            return true
        }
        guard comma + 2 < groups.count, !inner.contains(comma + 1) else { return false }
        let whole = NumberGrammar(words: left.words + groups[comma + 1].words)
        let next = groups[comma + 2]
        return start(ofNumberOver: comma).flatMap { whole.cardinal(at: $0) }?.end == whole.words.count
            && next.cardinal(at: next[0] == .and ? 1 : 0) != nil
    }
}
