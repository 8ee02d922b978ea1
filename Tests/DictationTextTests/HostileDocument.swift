import DictationCore
import DictationTesting

/// Random transcripts whose text and times are as bad as can be.
struct HostileDocument {
    var random: SplitMix64
    /// Whether results may overlap, go back or lie before the beginning, as no accumulator returns them.
    var isDisorderly = false
    var hasSpeakers = false

    static let pieces = [
        "go", "forward", "a", "<b>", "</i>", "<", ">", "{\\an8}", "{", "-->", "--", "-", "->", "&", "&amp;", "&lt;",
        "\"", "'", "\\",
        "\n", "\n\n", "\r\n", "\r", "\t", "\0", "\u{1B}[2J", "\u{2028}", "\u{2029}", "\u{85}", "\u{9B}31m", "\u{202E}",
        "\u{2066}",
        "é", "e\u{301}", "漢字漢字漢字", "🎤", "👩‍👩‍👧", "\u{FEFF}", "\u{FFFD}", "\u{FFFF}", "\u{2060}", "\u{301}", "\u{200D}",
        "WEBVTT", "NOTE", "1", "00:00:00,000 --> 00:00:01,000", "</script>", "\\u0022", "﷽", "مرحبا",
        String(repeating: "long", count: 40), String(repeating: "-->", count: 20), String(repeating: "<", count: 90),
    ]

    mutating func text(upTo count: Int = 12) -> String {
        (0..<Int.random(in: 1...count, using: &random)).map { _ in
            (Self.pieces.randomElement(using: &random) ?? "a") + (Bool.random(using: &random) ? " " : "")
        }.joined()
    }

    mutating func span() -> Duration {
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: .zero
        case 2: .nanoseconds(Int.random(in: 0...2_000_000, using: &random))
        case 3: .seconds(Int.random(in: 0...400_000, using: &random))
        case 4: Duration(attoseconds: 1)
        default: .milliseconds(Int.random(in: 0...4_000, using: &random))
        }
    }

    mutating func confidence() -> Double? {
        [nil, 0, 0.5, 1, 1e-30, -0.0, .nan, .infinity].randomElement(using: &random) ?? nil
    }

    mutating func transcript(upTo count: Int = 8) -> Transcript {
        var time = Duration.zero
        let segments = (0..<Int.random(in: 0...count, using: &random)).map { _ in
            if isDisorderly { time += span() - .seconds(Int.random(in: 0...6, using: &random)) }
            let start = time + span()
            time = start + span()
            return result(start..<time)
        }
        return Transcript(segments: segments, duration: time + span(), isComplete: Bool.random(using: &random))
    }

    mutating func result(_ range: Range<Duration>) -> SpeechResult {
        let parts = (0..<Int.random(in: 1...12, using: &random)).map { _ in text(upTo: 3) }
        var at = range.lowerBound
        let words = parts.map { part in
            if isDisorderly { at -= span() }
            let end = isDisorderly ? at + span() : min(range.upperBound, at + span())
            defer { at = end }
            return SpeechResult.Word(
                part, range: Int.random(in: 0..<6, using: &random) == 0 ? nil : at..<max(at, end),
                confidence: confidence())
        }
        let isTimed = Bool.random(using: &random)
        return SpeechResult(
            range: range, text: parts.joined(separator: " "), words: isTimed ? words : [],
            alternatives: Bool.random(using: &random) ? [.init(text(), confidence: confidence())] : [],
            speaker: hasSpeakers && Bool.random(using: &random) ? text(upTo: 3) : nil)
    }
}
