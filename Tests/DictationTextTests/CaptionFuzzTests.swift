import DictationCore
import DictationTesting
import Foundation
import Testing

@testable import DictationText

/// Captions of random transcripts; a few every day, and as many as `Scripts/fuzz parsers` is told.
@Suite struct CaptionFuzzTests {
    private let count = variable("DICTATION_FUZZ_INPUTS").flatMap { Int($0) } ?? 300
    private let seed = variable("DICTATION_FUZZ_SEED").flatMap { UInt64($0) } ?? 1

    enum Style: CaseIterable { case srt, vtt }

    @Test(arguments: Style.allCases)
    func anyTranscriptMakesCaptionsThatAPlayerCanRead(style: Style) throws {
        var random = SplitMix64(seed: seed)
        var captions = 0
        for number in 0..<count {
            let segments = transcript(&random)
            var writer: any TranscriptWriter = style == .srt ? SRTWriter() : VTTWriter()
            let text =
                segments.map { writer.write($0) }.joined() + writer.finish(Transcript(segments: segments))
            do {
                captions += try read(text, style)
            } catch {
                Issue.record("transcript \(number) of seed \(seed): \(error)\n\(text.debugDescription.prefix(600))")
                break
            }
        }
        #expect(captions > count / 2)
        if variable("DICTATION_FUZZ_KEEP") != nil {
            print("fuzzed \(style): \(count) transcripts, seed \(seed), \(captions) captions")
        }
    }

    // MARK: What a player would read

    private struct Unreadable: Error { var why: String }

    /// Reads captions as strictly as the formats allow, and says how many there are.
    private func read(_ text: String, _ style: Style) throws -> Int {
        var blocks = text.components(separatedBy: "\n\n")
        guard blocks.popLast() == "" else { throw Unreadable(why: "no empty line at the end") }
        if style == .vtt, blocks.isEmpty || blocks.removeFirst() != "WEBVTT" { throw Unreadable(why: "no header") }
        var last: Int64 = -1
        for (index, block) in blocks.enumerated() {
            var lines = block.components(separatedBy: "\n")
            if style == .srt, lines.removeFirst() != "\(index + 1)" {
                throw Unreadable(why: "caption \(index) misnumbered")
            }
            let times = lines.removeFirst().components(separatedBy: " --> ").map { milliseconds($0, style) }
            guard times.count == 2, let start = times[0], let end = times[1] else {
                throw Unreadable(why: "no times in caption \(index)")
            }
            guard start >= last, end > start else { throw Unreadable(why: "caption \(index) overlaps or is empty") }
            last = end
            guard (1...2).contains(lines.count), lines.allSatisfy({ !$0.isEmpty }) else {
                throw Unreadable(why: "caption \(index) has \(lines.count) lines")
            }
            for line in lines {
                // A player knows bytes and no characters.
                func has(_ text: String) -> Bool { Data(line.utf8).range(of: Data(text.utf8)) != nil }
                let isMarkup = style == .vtt ? has("<") : has("<b>") || has("{\\")
                let isControl = line.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
                if has("-->") || isMarkup || isControl {
                    throw Unreadable(why: "caption \(index) is more than text")
                }
            }
        }
        return blocks.count
    }

    /// `01:02:03,004`, or with a point; more than two digits of hours are allowed.
    private func milliseconds(_ text: String, _ style: Style) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count >= 2, parts[1].count == 2 else { return nil }
        let seconds = parts[2].split(separator: style == .srt ? "," : ".", omittingEmptySubsequences: false)
        guard seconds.count == 2, seconds[0].count == 2, seconds[1].count == 3, let hours = Int64(parts[0]),
            let minutes = Int64(parts[1]), let whole = Int64(seconds[0]), let rest = Int64(seconds[1]),
            minutes < 60, whole < 60, hours >= 0
        else { return nil }
        return ((hours * 60 + minutes) * 60 + whole) * 1_000 + rest
    }

    // MARK: Random transcripts

    /// Final segments in order, as an engine gives them; what is in them is anything.
    private func transcript(_ random: inout SplitMix64) -> [SpeechResult] {
        var time = Duration.zero
        return (0..<Int.random(in: 0...6, using: &random)).map { _ in
            let start = time + span(&random)
            time = start + span(&random)
            let words = (0..<Int.random(in: 0...30, using: &random)).map { _ in word(&random) }
            var at = start
            let isTimed = Bool.random(using: &random)
            let timed = words.map { text in
                let end = min(time, at + span(&random))
                defer { at = end }
                return SpeechResult.Word(
                    text, range: Int.random(in: 0..<9, using: &random) == 0 ? nil : at..<max(at, end))
            }
            return SpeechResult(
                range: start..<time, text: words.joined(separator: " "), words: isTimed ? timed : [])
        }
    }

    private func span(_ random: inout SplitMix64) -> Duration {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: .zero
        case 1: .nanoseconds(Int.random(in: 0...2_000_000, using: &random))
        case 2: .seconds(Int.random(in: 0...400_000, using: &random))
        default: .milliseconds(Int.random(in: 0...4_000, using: &random))
        }
    }

    private func word(_ random: inout SplitMix64) -> String {
        let pieces = [
            "go", "forward", "a", "<b>", "</i>", "{\\an8}", "-->", "--", ">", "&", "&amp;", "<", "\n", "\r", "\t", "\0",
            " ",
            "\u{2028}", "\u{85}", "é", "e\u{301}", "漢字漢字漢字", "🎤", "👩‍👩‍👧", "\u{202E}", "\u{FEFF}", "", "\u{600}", "\u{301}",
            "\u{200D}", "b>", "<\u{301}",
            String(repeating: "long", count: 30), "1\n00:00:00,000 --> 00:00:01,000", "WEBVTT", "NOTE",
        ]
        return (0..<Int.random(in: 1...3, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }
}

private func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
