import DictationCore

/// A caption: up to two lines, and when they are shown.
struct Caption: Sendable, Hashable {
    var start: Int64
    var end: Int64
    var lines: [String]
}

/// Cuts text into captions that can be read: two lines of 42 columns, no longer than seven seconds, none before the
/// last one's end.
struct CaptionCutter: Sendable {
    static let columns = 42
    static let longest = Duration.seconds(7)
    static let longestPause = Duration.seconds(1)
    private static let shortest: Int64 = 1_000

    private var held: Caption?

    /// Takes a piece of text; gives the captions that won't change any more.
    mutating func add(_ segment: SpeechResult) -> [Caption] {
        pieces(of: segment).compactMap { release(next: $0) }
    }

    /// Gives the last caption.
    mutating func finish() -> [Caption] {
        guard var last = held else { return [] }
        held = nil
        last.end = max(last.end, last.start + Self.shortest)
        return [last]
    }

    /// Holds a caption until it is known how long it can stay: at least a second, but not into the next one.
    private mutating func release(next: Caption) -> Caption? {
        var next = next
        let last = held
        next.start = max(next.start, (last?.start ?? -1) + 1)
        next.end = max(next.end, next.start + 1)
        held = next
        guard var last else { return nil }
        last.end = min(max(last.end, last.start + Self.shortest), next.start)
        return last
    }

    private func pieces(of segment: SpeechResult) -> [Caption] {
        let timed = segment.words.filter { $0.range != nil }
        let isWhole = !timed.isEmpty && timed.count == segment.words.count
        return isWhole ? cut(timed) : spread(segment)
    }

    /// Cuts between words: where the caption is full, at a pause, or where it would be shown for too long.
    private func cut(_ words: [SpeechResult.Word]) -> [Caption] {
        var captions: [Caption] = []
        var text = ""
        var range: Range<Duration>?
        func flush() {
            if let range { captions.append(contentsOf: fit(text, range)) }
        }
        for word in words {
            guard let heard = word.range else { continue }
            let clean = Self.clean(word.text)
            if clean.isEmpty { continue }
            if let current = range {
                let longer = text + " " + clean
                let isFull = wrap(longer, columns: Self.columns).count > 2
                let isLate =
                    heard.lowerBound - current.upperBound > Self.longestPause
                    || heard.upperBound - current.lowerBound > Self.longest
                guard isFull || isLate else {
                    text = longer
                    range = current.lowerBound..<max(current.upperBound, heard.upperBound)
                    continue
                }
                flush()
            }
            (text, range) = (clean, heard)
        }
        flush()
        return captions
    }

    /// Spreads text without word times over its range.
    private func spread(_ segment: SpeechResult) -> [Caption] {
        let text = Self.clean(segment.text)
        return text.isEmpty ? [] : fit(text, segment.range)
    }

    /// One caption, or as many as the text needs, each with its share of the time.
    private func fit(_ text: String, _ range: Range<Duration>) -> [Caption] {
        let lines = wrap(text, columns: Self.columns)
        let (start, end) = (range.lowerBound.milliseconds, range.upperBound.milliseconds)
        let count = (lines.count + 1) / 2
        return (0..<count).map { index in
            let pair = lines[(index * 2)..<min(lines.count, index * 2 + 2)]
            let span = end - start
            return Caption(
                start: start + span * Int64(index) / Int64(count), end: start + span * Int64(index + 1) / Int64(count),
                lines: Array(pair))
        }
    }

    /// Text in one line with single spaces.
    private static func clean(_ text: String) -> String {
        text.onOneLine.split(separator: " ").joined(separator: " ")
    }
}

/// SubRip or WebVTT.
struct CaptionFormatter: TranscriptFormatter {
    enum Style { case srt, vtt }

    let style: Style
    private var cutter = CaptionCutter()
    private var count = 0

    init(style: Style) { self.style = style }

    var opening: String { style == .vtt ? "WEBVTT\n\n" : "" }

    mutating func add(_ segment: SpeechResult) -> String { write(cutter.add(segment)) }
    mutating func end(_ report: SourceReport) -> String { write(cutter.finish()) }

    private mutating func write(_ captions: [Caption]) -> String {
        captions.map { caption in
            count += 1
            let number = style == .srt ? "\(count)\n" : ""
            let lines = caption.lines.map(escape).joined(separator: "\n")
            return "\(number)\(time(caption.start)) --> \(time(caption.end))\n\(lines)\n\n"
        }.joined()
    }

    private func time(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000
        let point = style == .srt ? "," : "."
        return
            "\(twoDigits(seconds / 3_600)):\(twoDigits(seconds / 60 % 60)):\(twoDigits(seconds % 60))"
            + point + threeDigits(milliseconds % 1_000)
    }

    /// Scalar by scalar, as players read it: to Swift a mark of markup and what joins it are one character.
    private func escape(_ line: String) -> String {
        switch style {
        case .vtt:
            return line.unicodeScalars.reduce(into: "") { text, scalar in
                switch scalar {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                default: text.unicodeScalars.append(scalar)
                }
            }
        case .srt:
            // SubRip has no escapes: what players take for markup is parted by a character without width.
            var parted = String.UnicodeScalarView()
            for scalar in line.unicodeScalars {
                let isArrow = scalar == ">" && parted.suffix(2).elementsEqual("--".unicodeScalars)
                if parted.last == "<" || parted.last == "{" || isArrow { parted.append("\u{2060}") }
                parted.append(scalar)
            }
            return String(parted)
        }
    }
}
