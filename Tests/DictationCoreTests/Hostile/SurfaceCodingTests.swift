import DictationCore
import DictationTesting
import Foundation
import Testing

/// Results and transcripts survive JSON, and JSON of any kind is read or refused.
@Suite struct SurfaceCodingTests {
    private static let pieces = [
        "go", " ", "\n", "\"", "\\", "\u{2028}", "\u{2029}", "\u{0}", "\u{1B}[2J", "é", "e\u{301}", "漢字", "🎤", "👩‍👩‍👧",
        "\u{FFFD}",
        "\u{FFFF}", "\u{10FFFF}", "\u{202E}", "</script>", "{\"a\":1}", "\u{FEFF}", "-->",
    ]

    private static func text(_ random: inout SplitMix64) -> String {
        (0..<Int.random(in: 0...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    }

    private static func range(_ random: inout SplitMix64) -> Range<Duration> {
        // Through 40 days, a nanosecond is more than the rounding of a number in JSON.
        let limits: [Int64] = [10, 1_000_000_000, 90_000_000_000_000, 3_456_000_000_000_000]
        let limit = limits.randomElement(using: &random) ?? 10
        let ends = [Int64.random(in: 0...limit, using: &random), .random(in: 0...limit, using: &random)].sorted()
        return .nanoseconds(ends[0])..<Duration.nanoseconds(ends[1])
    }

    private static func result(_ random: inout SplitMix64) -> SpeechResult {
        func confidence() -> Double? { Bool.random(using: &random) ? Double.random(in: 0...1, using: &random) : nil }
        return SpeechResult(
            range: range(&random), text: text(&random),
            words: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                SpeechResult.Word(
                    text(&random), range: Bool.random(using: &random) ? range(&random) : nil, confidence: confidence())
            },
            alternatives: (0..<Int.random(in: 0...2, using: &random)).map { _ in
                .init(text(&random), confidence: confidence())
            },
            isComplete: Bool.random(using: &random),
            speaker: Bool.random(using: &random) ? text(&random) : nil)
    }

    private static func transcript(_ random: inout SplitMix64) -> Transcript {
        let causes: [AudioGap.Cause] = [
            .overrun, .suspended, .unplugged, .stalled, .engineBehind, .engineFailed, .damaged, .notKept,
        ]
        return Transcript(
            segments: (0..<Int.random(in: 0...4, using: &random)).map { _ in result(&random) },
            gaps: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                AudioGap(
                    range: range(&random), frameCount: .random(in: .min ... .max, using: &random),
                    cause: causes.randomElement(using: &random) ?? .overrun)
            },
            duration: range(&random).upperBound,
            locale: ["en-US", "de", "zh-Hant-TW"].randomElement(using: &random) ?? "en",
            error: Bool.random(using: &random)
                ? DictationError(
                    DictationError.Code(rawValue: text(&random)), text(&random), recovery: text(&random),
                    underlying: .init(domain: text(&random), code: .random(in: .min ... .max, using: &random))) : nil,
            isComplete: Bool.random(using: &random),
            take: Bool.random(using: &random) ? TakeID(number: .random(in: 1...(.max), using: &random)) : nil)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func anyTranscriptComesBackTheSame(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<50 {
            let transcript = Self.transcript(&random)
            let data = try JSONEncoder().encode(transcript)
            #expect(try JSONDecoder().decode(Transcript.self, from: data) == transcript, "seed \(seed)")
        }
    }

    @Test func everyNanosecondOfADayIsExact() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<3_000 {
            let start = Int64.random(in: 0..<86_400_000_000_000, using: &random)
            let result = SpeechResult(range: .nanoseconds(start)..<Duration.nanoseconds(start + 1), text: "a")
            let data = try JSONEncoder().encode(result)
            #expect(try JSONDecoder().decode(SpeechResult.self, from: data) == result, "\(start)")
        }
    }

    private static let times: [Duration] = [
        .seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max), Duration(attoseconds: .min),
        Duration(attoseconds: 1), Duration(attoseconds: -1), .seconds(1 << 53), .seconds(-3),
    ]

    @Test(arguments: times, times) func anyTimeIsWrittenAndReadOrRefused(one: Duration, other: Duration) throws {
        let range = min(one, other)..<max(one, other)
        let gap = AudioGap(range: range, frameCount: .max, cause: .overrun)
        let result = SpeechResult(range: range, text: "a", words: [.init("a", range: range)])
        let data = try JSONEncoder().encode(Transcript(segments: [result], gaps: [gap], duration: one))
        #expect(try JSONSerialization.jsonObject(with: data) is [String: Any])
        guard let read = try? JSONDecoder().decode(Transcript.self, from: data) else { return }
        #expect(read.segments.map(\.text) == ["a"])
    }

    @Test func aNumberThatIsNoneIsRefused() {
        for confidence in [Double.nan, .infinity, -.infinity] {
            let result = SpeechResult(
                range: .zero..<(.seconds(1)), text: "a", alternatives: [.init("b", confidence: confidence)])
            #expect(throws: EncodingError.self) { try JSONEncoder().encode(result) }
        }
    }

    private static let numbers = [
        "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1e18", "9.3e18", "1e19", "-1e19",
        "1e308",
        "-1e308", "1e-400", "5e-324", "-0", "-0.0", "170141183460469231731.6", "1.7e20", "1.8e20", "1e400", "NaN",
        "Infinity", "\"1\"", "null", "true", "[]", "{}", "\"\\ud800\"", "0x10", "01", "1e",
    ]

    @Test(arguments: numbers) func anyNumberInJSONIsReadOrRefused(number: String) {
        let texts = [
            #"{"text":"a","range":{"start":\#(number),"end":\#(number)}}"#,
            #"{"text":"a","range":{"start":0,"end":\#(number)}}"#,
            #"{"text":"a","range":{"start":\#(number),"end":1}}"#,
            #"{"text":"a","range":{"start":0,"end":1},"words":[{"text":"a","range":{"start":\#(number),"end":5}}]}"#,
            #"{"text":"a","range":{"start":0,"end":1},"words":[{"text":"a","confidence":\#(number)}]}"#,
            #"{"segments":[],"gaps":[],"duration":\#(number),"locale":"en","isComplete":true,"take":\#(number)}"#,
            #"{"segments":[],"gaps":[{"range":{"start":0,"end":1},"frameCount":\#(number),"cause":"overrun"}],"duration":0,"locale":"en","isComplete":true}"#,
        ]
        for text in texts {
            let data = Data(text.utf8)
            let result = try? JSONDecoder().decode(SpeechResult.self, from: data)
            let transcript = try? JSONDecoder().decode(Transcript.self, from: data)
            for range in [result?.range, transcript?.gaps.first?.range].compactMap(\.self) {
                #expect(range.lowerBound <= range.upperBound)
            }
            if let result { _ = try? JSONEncoder().encode(result) }
            if let transcript { _ = try? JSONEncoder().encode(transcript) }
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func damagedJSONIsReadOrRefused(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let bytes = Array("{}[]\",:0123456789.eE+-\\u\0\u{FF}nulltrue".utf8)
        for _ in 0..<40 {
            var data = Array(try JSONEncoder().encode(Self.transcript(&random)))
            for _ in 0..<Int.random(in: 1...4, using: &random) where !data.isEmpty {
                let place = Int.random(in: data.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: data[place] = bytes.randomElement(using: &random) ?? 0
                case 1: data.insert(bytes.randomElement(using: &random) ?? 0, at: place)
                case 2: data.remove(at: place)
                default: data.removeSubrange(place...)
                }
            }
            guard let read = try? JSONDecoder().decode(Transcript.self, from: Data(data)) else { continue }
            // What was read can be used and written.
            _ = (read.text, read.words, read.attributedText)
            _ = try? JSONEncoder().encode(read)
        }
    }

    @Test(arguments: [
        "", " ", "-", "--", "en", "EN_us", "en-US-", "zh_hant_TW", "x", "日本", "e\u{301}n-US", "\0",
        String(repeating: "en-", count: 5_000),
    ])
    func anyTagIsALocaleThatSurvives(tag: String) throws {
        let locale = SpeechLocale(tag)
        #expect(
            SpeechLocale(locale.identifier) == locale && SpeechLocale(locale.identifier).identifier == locale.identifier
        )
        #expect(
            SpeechLocale(tag.uppercased()).identifier.lowercased()
                == SpeechLocale(tag.lowercased()).identifier.lowercased())
        let data = try JSONEncoder().encode([locale])
        #expect(try JSONDecoder().decode([SpeechLocale].self, from: data) == [locale])
        _ = (locale.language, locale.join(["a", "", "b"]))
    }
}
