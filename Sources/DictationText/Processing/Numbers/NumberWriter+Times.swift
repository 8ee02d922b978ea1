extension NumberWriter {
    /// “Three thirty pm”, “three o'clock”, “half past three”, and “three thirty” after “at”.
    func time(at index: Int) -> [Part]? {
        if let time = pastHour(at: index) { return time }
        guard let hour = hour(at: index, in: 0...23) else { return nil }
        if grammar[hour.end] == .clock {
            return [(String(hour.value), index..<hour.end), (tokens[hour.end].text, hour.end..<(hour.end + 1))]
        }
        let minutes = grammar.lastTwoDigits(at: hour.end).flatMap { $0.value < 60 ? $0 : nil }
        let end = minutes?.end ?? hour.end
        let text = minutes.map { "\(hour.value):\(Self.twoDigits($0.value))" } ?? String(hour.value)
        if case .meridiem(let meridiem) = grammar[end], (1...12).contains(hour.value) {
            return [(text, index..<end), (meridiem, end..<(end + 1))]
        }
        let isAfterAt = index > 0 && grammar[index - 1] == .at
        return isAfterAt && minutes != nil ? [(text, index..<end)] : nil
    }

    /// “Half past three”, “a quarter to four”, “twenty past seven”.
    private func pastHour(at index: Int) -> [Part]? {
        let start = grammar[index] == .article ? index + 1 : index
        var minutes: (value: Int, end: Int)?
        switch grammar[start] {
        case .half where start == index: minutes = (30, start + 1)
        case .quarter: minutes = (15, start + 1)
        case .number where start == index: minutes = grammar.belowHundred(at: start)
        default: break
        }
        guard let minutes, minutes.value < 60, let hour = hour(at: minutes.end + 1, in: 1...12) else { return nil }
        switch grammar[minutes.end] {
        case .past: return [("\(hour.value):\(Self.twoDigits(minutes.value))", index..<hour.end)]
        case .to where grammar[start] == .quarter:
            return [("\(hour.value == 1 ? 12 : hour.value - 1):45", index..<hour.end)]
        default: return nil
        }
    }

    private func hour(at index: Int, in hours: ClosedRange<Int>) -> (value: Int, end: Int)? {
        guard let hour = grammar.belowHundred(at: index), hours.contains(hour.value) else { return nil }
        return hour
    }

    private static func twoDigits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
}

extension NumberWriter {
    /// “March third twenty twenty four”, “June five”, “June twenty twenty four”, “the third of March”.
    func date(at index: Int) -> [Part]? { monthFirst(at: index) ?? dayFirst(at: index) }

    private func monthFirst(at index: Int) -> [Part]? {
        guard let month = month(at: index) else { return nil }
        let name: Part = (month.name, index..<(index + 1))
        if let day = day(at: index + 1, isOrdinal: true) { return [name] + dayAndYear(day, at: index + 1) }
        let day = day(at: index + 1, isOrdinal: false)
        if let day, grammar.year(at: day.end) != nil { return [name] + dayAndYear(day, at: index + 1) }
        if let year = grammar.year(at: index + 1) { return [name, (String(year.value), (index + 1)..<year.end)] }
        guard let day, !month.isAmbiguous else { return nil }
        return [name, (String(day.value), (index + 1)..<day.end)]
    }

    private func dayAndYear(_ day: (value: Int, end: Int), at index: Int) -> [Part] {
        guard let year = grammar.year(at: day.end) else { return [(String(day.value), index..<day.end)] }
        return [("\(day.value),", index..<day.end), (String(year.value), day.end..<year.end)]
    }

    private func dayFirst(at index: Int) -> [Part]? {
        guard let day = day(at: index, isOrdinal: true), grammar[day.end] == .of, let month = month(at: day.end + 1)
        else { return nil }
        let next = day.end + 2
        let parts: [Part] = [
            (style.ordinal(day.value), index..<day.end), (tokens[day.end].text, day.end..<(day.end + 1)),
            (month.name, (day.end + 1)..<next),
        ]
        return parts + (grammar.year(at: next).map { [(String($0.value), next..<$0.end)] } ?? [])
    }

    private func month(at index: Int) -> (name: String, isAmbiguous: Bool)? {
        guard case .month(let number, let isAmbiguous) = grammar[index], let name = style.months[number] else {
            return nil
        }
        return (name, isAmbiguous)
    }

    private func day(at index: Int, isOrdinal: Bool) -> (value: Int, end: Int)? {
        let day = isOrdinal ? grammar.ordinal(at: index) : grammar.belowHundred(at: index)
        return day.flatMap { (1...31).contains($0.value) ? $0 : nil }
    }
}

extension NumberToken {
    /// The words as they were said.
    var text: String { pieces.map(\.text).joined(separator: " ") }
}
