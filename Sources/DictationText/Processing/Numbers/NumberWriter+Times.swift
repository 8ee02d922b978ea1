extension NumberWriter {
    /// “Three thirty pm”, “three o'clock”, “half past three”, “three thirty” after “at”, and “three to four pm”.
    func time(at index: Int) -> [Part]? {
        let isAfterAt = index > 0 && grammar[index - 1] == .at
        return pastHour(at: index) ?? span(at: index, isAfterAt) ?? time(at: index, isCertain: isAfterAt)
    }

    /// A time of the clock, with or without minutes.
    private struct Clock {
        var hour: Int
        var minutes: Int?
        var end: Int
        var text: String { minutes.map { "\(hour):\(NumberWriter.twoDigits($0))" } ?? String(hour) }
    }

    private func clock(at index: Int) -> Clock? {
        guard let hour = hour(at: index, in: 0...23) else { return nil }
        let minutes = grammar.lastTwoDigits(at: hour.end).flatMap { $0.value < 60 ? $0 : nil }
        return Clock(hour: hour.value, minutes: minutes?.value, end: minutes?.end ?? hour.end)
    }

    /// - Parameter isCertain: Whether an hour and minutes can't be another number.
    private func time(at index: Int, isCertain: Bool) -> [Part]? {
        guard let clock = clock(at: index) else { return nil }
        let time: Part = (clock.text, index..<clock.end)
        switch grammar[clock.end] {
        case .clock where clock.minutes == nil: return [time, part(of: clock.end)]
        case .meridiem(let meridiem) where (1...12).contains(clock.hour):
            return [time, (meridiem, clock.end..<(clock.end + 1))]
        case .daytime where clock.minutes != nil: return [time]
        default: return isCertain && clock.minutes != nil ? [time] : nil
        }
    }

    /// “Three to four pm”, and “two thirty to three fifteen” after “at”.
    private func span(at index: Int, _ isAfterAt: Bool) -> [Part]? {
        guard let first = clock(at: index), grammar.joinsRange(at: first.end),
            let second = time(at: first.end + 1, isCertain: isAfterAt && first.minutes != nil)
        else { return nil }
        return [(first.text, index..<first.end), part(of: first.end)] + second
    }

    /// “Half past three”, “a quarter to four”, “twenty past seven pm”.
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
        let text: String
        switch grammar[minutes.end] {
        case .past: text = "\(hour.value):\(Self.twoDigits(minutes.value))"
        case .to where grammar[start] == .quarter: text = "\(hour.value == 1 ? 12 : hour.value - 1):45"
        default: return nil
        }
        let time: Part = (text, index..<hour.end)
        guard case .meridiem(let meridiem) = grammar[hour.end] else { return [time] }
        return [time, (meridiem, hour.end..<(hour.end + 1))]
    }

    private func hour(at index: Int, in hours: ClosedRange<Int>) -> (value: Int, end: Int)? {
        guard let hour = grammar.belowHundred(at: index), hours.contains(hour.value) else { return nil }
        return hour
    }

    /// A word as it was said.
    fileprivate func part(of index: Int) -> Part { (tokens[index].text, index..<(index + 1)) }

    private static func twoDigits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
}

extension NumberWriter {
    /// “March third twenty twenty four”, “June five”, “June twenty twenty four”, “the third of March”, “third June
    /// twenty twenty four”.
    func date(at index: Int) -> [Part]? { monthFirst(at: index) ?? dayFirst(at: index) }

    private func monthFirst(at index: Int) -> [Part]? {
        guard let month = month(at: index) else { return nil }
        let name: Part = (month.name, index..<(index + 1))
        if grammar[index + 1] == .the {
            // “In June the first snow fell.”
            guard let day = certainDay(at: index + 2), !month.isAmbiguous else { return nil }
            return [name, part(of: index + 1)] + day
        }
        if let day = grammar.day(at: index + 1, isOrdinal: true) { return [name] + dayAndYear(day, at: index + 1) }
        let day = grammar.day(at: index + 1, isOrdinal: false)
        if let day, grammar.year(at: day.end) != nil { return [name] + dayAndYear(day, at: index + 1) }
        if let year = grammar.year(at: index + 1) { return [name, (String(year.value), (index + 1)..<year.end)] }
        guard let day, !month.isAmbiguous else { return nil }
        return [name, (String(day.value), (index + 1)..<day.end)]
    }

    /// A day with its year, or one that has digits anywhere.
    private func certainDay(at index: Int) -> [Part]? {
        guard let day = grammar.day(at: index, isOrdinal: true) else { return nil }
        let year = year(at: day.end)
        guard day.value >= 10 || !year.isEmpty else { return nil }
        return [(style.ordinal(day.value), index..<day.end)] + year
    }

    private func year(at index: Int) -> [Part] {
        grammar.year(at: index).map { [(String($0.value), index..<$0.end)] } ?? []
    }

    private func dayAndYear(_ day: (value: Int, end: Int), at index: Int) -> [Part] {
        guard let year = grammar.year(at: day.end) else { return [(String(day.value), index..<day.end)] }
        return [("\(day.value),", index..<day.end), (String(year.value), day.end..<year.end)]
    }

    private func dayFirst(at index: Int) -> [Part]? {
        guard let day = grammar.day(at: index, isOrdinal: true) else { return nil }
        let hasOf = grammar[day.end] == .of
        let place = hasOf ? day.end + 1 : day.end
        guard let month = month(at: place) else { return nil }
        let year = year(at: place + 1)
        // “Every second June.”
        guard hasOf || !month.isAmbiguous && (day.value >= 10 || !year.isEmpty) else { return nil }
        // A number after the month is its day.
        guard !year.isEmpty || monthFirst(at: place) == nil else { return nil }
        return [(style.ordinal(day.value), index..<day.end)] + (hasOf ? [part(of: day.end)] : [])
            + [(month.name, place..<(place + 1))] + year
    }

    private func month(at index: Int) -> (name: String, isAmbiguous: Bool)? {
        guard case .month(let number, let isAmbiguous) = grammar[index], let name = style.months[number] else {
            return nil
        }
        return (name, isAmbiguous)
    }
}
