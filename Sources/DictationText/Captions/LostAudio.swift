import DictationCore

/// The ranges of a recording that have no audio. No caption has words from both sides of one.
struct LostAudio: Sendable {
    /// In order, with audio between them.
    private var ranges: [Range<Duration>] = []

    /// The ranges that a viewer has been told of.
    private var announced: [Range<Duration>] = []

    var isEmpty: Bool { ranges.isEmpty }

    mutating func add(_ gap: AudioGap) {
        var (lower, upper) = (gap.range.lowerBound.onTimeline, gap.range.upperBound.onTimeline)
        guard lower < upper else { return }
        let touching = ranges.filter { $0.lowerBound <= upper && $0.upperBound >= lower }
        if let first = touching.first, let last = touching.last {
            (lower, upper) = (min(lower, first.lowerBound), max(upper, last.upperBound))
        }
        let index = ranges.firstIndex { $0.upperBound >= lower } ?? ranges.endIndex
        ranges.replaceSubrange(index..<index + touching.count, with: [lower..<upper])
    }

    /// Returns the ranges that begin before a time, last at least as long as the given time, and were not returned before.
    mutating func announcements(before end: Duration, atLeast length: Duration) -> [Range<Duration>] {
        let new = ranges.filter { range in
            range.lowerBound < end && range.upperBound - range.lowerBound >= length
                && !announced.contains { $0.overlaps(range) }
        }
        announced += new
        return new
    }

    /// Whether a viewer has been told of any lost audio.
    var isAnnounced: Bool { !announced.isEmpty }

    /// The end of the last range.
    var end: Duration { ranges.last?.upperBound ?? .zero }

    /// Returns the ranges that lie at least partly in another one.
    func within(_ range: Range<Duration>) -> LostAudio {
        guard !isEmpty else { return self }
        let (lower, upper) = (range.lowerBound.onTimeline, range.upperBound.onTimeline)
        var part = LostAudio()
        part.ranges = ranges.filter { $0.lowerBound < upper && $0.upperBound > lower }
        return part
    }

    /// Returns the parts of a range that have audio.
    func audible(_ range: Range<Duration>) -> [Range<Duration>] {
        var parts: [Range<Duration>] = []
        var start = range.lowerBound
        for lost in ranges where lost.upperBound > start && lost.lowerBound < range.upperBound {
            if start < lost.lowerBound { parts.append(start..<lost.lowerBound) }
            start = min(lost.upperBound, range.upperBound)
        }
        if start < range.upperBound || ranges.isEmpty { parts.append(start..<range.upperBound) }
        return parts
    }

    /// Returns the longest part of a word's time that has audio. A word is said before lost audio or after it. One that is
    /// said inside lost audio belongs to what was said before.
    func spoken(_ range: Range<Duration>) -> Range<Duration> {
        guard !isEmpty else { return range }
        let time = range.lowerBound.onTimeline..<range.upperBound.onTimeline
        let longest = audible(time).max { $0.upperBound - $0.lowerBound < $1.upperBound - $1.lowerBound }
        if let longest { return longest }
        let start = ranges.first { $0.contains(time.lowerBound) }?.lowerBound ?? time.lowerBound
        return start..<start
    }

    /// Whether audio was lost between two times.
    func separates(_ end: Duration, _ start: Duration) -> Bool {
        ranges.contains { end.onTimeline <= $0.lowerBound && $0.upperBound <= start.onTimeline }
    }

    /// Returns the time in milliseconds at which audio is heard again after the first loss from a time on; `nil` if no
    /// more is lost.
    func end(after milliseconds: Int64) -> Int64? {
        ranges.first { $0.lowerBound.milliseconds >= milliseconds }?.upperBound.milliseconds
    }
}
