import DictationCore

extension [SpeechResult.Word] {
    /// The length of the shortest word. Shorter words take room from their neighbors.
    private static var shortest: Duration { .milliseconds(10) }

    /// Gives each word a time of its own, in order and inside a range.
    ///
    /// Words without a time, or with hardly any, share the room between their neighbors by their letters. Where there is
    /// none, the neighbors share their own time with them: the earlier one first, because then no other word begins later.
    /// If the range is not empty, no word is.
    mutating func giveTimes(in range: Range<Duration>) {
        var times = ordered(in: range)
        var first = 0
        while first < count {
            guard times[first] == nil else {
                first += 1
                continue
            }
            let group = group(around: first, times, in: range)
            for (index, time) in zip(group.words, Self.shares(of: group.time, self[group.words])) {
                times[index] = time
            }
            first = group.words.upperBound
        }
        for index in indices { self[index].range = times[index] }
    }

    /// Returns the times of the words that have one, cut so that none overlaps another.
    private func ordered(in range: Range<Duration>) -> [Range<Duration>?] {
        var end = range.lowerBound
        return map { word in
            guard let own = word.range else { return nil }
            let time = Swift.max(own.lowerBound, end)..<Swift.max(own.lowerBound, own.upperBound, end)
            let inside = time.clamped(to: range)
            guard inside.upperBound - inside.lowerBound >= Self.shortest else { return nil }
            end = inside.upperBound
            return inside
        }
    }

    /// Returns the words that share a time with the word at `first`, and that time.
    private func group(
        around first: Int, _ times: [Range<Duration>?], in range: Range<Duration>
    ) -> (words: Range<Int>, time: Range<Duration>) {
        var (lower, upper) = (first, first)
        while true {
            while upper < count, times[upper] == nil { upper += 1 }
            let isAll = lower == 0 && upper == count
            let start = times[lower]?.lowerBound ?? (lower > 0 ? times[lower - 1]?.upperBound : nil)
            let end = times[upper - 1]?.upperBound ?? (upper < count ? times[upper]?.lowerBound : nil)
            let time = (start ?? range.lowerBound)..<(end ?? range.upperBound)
            if time.upperBound - time.lowerBound >= Self.shortest * (upper - lower) { return (lower..<upper, time) }
            if isAll { return (indices, range) }
            if lower > 0 { lower -= 1 } else { upper += 1 }
        }
    }

    /// Divides a time among words by the number of their letters.
    static func shares(of time: Range<Duration>, _ words: ArraySlice<SpeechResult.Word>) -> [Range<Duration>] {
        let weights = words.map { Swift.max(1, SpokenWord($0).length) }
        let all = weights.reduce(0, +)
        let length = time.upperBound - time.lowerBound
        var done = 0
        return weights.map { weight in
            let start = time.lowerBound + length * done / all
            done += weight
            return start..<(time.lowerBound + length * done / all)
        }
    }
}
