import DictationCore
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationText

/// Captions that a player can read, whatever was said and whenever.
@Suite struct HostileCaptionTests {
    static let seeds = RandomRuns.seeds(40)

    @Test(arguments: Player.Format.allCases, seeds)
    func timesNeverOverlapOrGoBack(_ format: Player.Format, seed: UInt64) throws {
        var hostile = HostileDocument(
            random: SplitMix64(seed: seed), isDisorderly: seed % 2 == 0, hasSpeakers: seed % 3 == 0)
        for _ in 0..<15 {
            var writer = format.writer()
            var text = ""
            for _ in 0..<Int.random(in: 1...3, using: &hostile.random) {
                let transcript = hostile.transcript()
                for segment in transcript.segments {
                    text += writer.write(segment)
                }
                text += writer.end(transcript)
            }
            text += writer.finish()
            do { _ = try Player.captions(text, format) } catch {
                Issue.record("seed \(seed): \(error)\n\(text.debugDescription.prefix(800))")
                return
            }
        }
    }

    /// Each letter that was said is shown once and in order, and markup is shown as text.
    @Test(arguments: Player.Format.allCases, seeds)
    func noLetterIsLost(_ format: Player.Format, seed: UInt64) throws {
        var hostile = HostileDocument(random: SplitMix64(seed: seed))
        for _ in 0..<15 {
            let transcript = hostile.transcript()
            let shown = try Player.captions(format.writer().document(transcript), format).map(\.text).joined()
            let said = transcript.segments.map(\.text).joined()
            #expect(Self.letters(shown) == Self.letters(said), "seed \(seed)")
        }
    }

    /// What is left when spaces, the marks on them and invisible characters are ignored.
    private static func letters(_ text: String) -> [UInt32] {
        text.unicodeScalars.filter { scalar in
            !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
                && !scalar.properties.isNoncharacterCodePoint && scalar != "\u{FFFD}"
                && ![.format, .nonspacingMark].contains(scalar.properties.generalCategory)
        }.map(\.value)
    }

    private static let styles = [
        CaptionStyle(columns: 0, lines: 0), CaptionStyle(columns: -5, lines: -5),
        CaptionStyle(columns: .max, lines: .max),
        CaptionStyle(columns: .min, lines: .min), CaptionStyle(columns: 1, lines: 1),
        CaptionStyle(columns: 5, lines: 3),
        CaptionStyle(maximumDuration: .zero, minimumDuration: .seconds(Int64.max), maximumPause: .zero),
        CaptionStyle(maximumDuration: .seconds(-1), minimumDuration: .seconds(-9), maximumPause: .seconds(-1)),
        CaptionStyle(
            maximumDuration: Duration(attoseconds: .max), minimumDuration: Duration(attoseconds: .max),
            maximumPause: Duration(attoseconds: .max)),
        CaptionStyle(
            maximumDuration: Duration(attoseconds: .min), minimumDuration: Duration(attoseconds: .min),
            maximumPause: Duration(attoseconds: .min)),
    ]

    @Test(arguments: Player.Format.allCases, styles.indices)
    func anyStyleMakesCaptions(_ format: Player.Format, _ style: Int) throws {
        var hostile = HostileDocument(random: SplitMix64(seed: UInt64(style)))
        for _ in 0..<20 {
            let transcript = hostile.transcript(upTo: 4)
            let text = format.writer(Self.styles[style]).document(transcript)
            let shown = try Player.captions(text, format).map(\.text).joined()
            #expect(Self.letters(shown) == Self.letters(transcript.segments.map(\.text).joined()))
        }
    }

    @Test(arguments: Player.Format.allCases, [12, 20, 42])
    func linesFitTheStyle(_ format: Player.Format, columns: Int) throws {
        var hostile = HostileDocument(random: SplitMix64(seed: UInt64(columns)))
        for _ in 0..<40 {
            let text = format.writer(CaptionStyle(columns: columns, lines: 2)).document(hostile.transcript())
            for caption in try Player.captions(text, format) {
                let lines = caption.text.split(separator: "\n")
                #expect(lines.count <= 2)
                #expect(lines.allSatisfy { $0.displayWidth <= columns }, "\(lines)")
            }
        }
    }

    @Test(arguments: Player.Format.allCases)
    func timesThatNoRecordingHasAreStillInOrder(_ format: Player.Format) throws {
        let times: [Duration] = [
            Duration(attoseconds: .min), .seconds(Int64.min), .seconds(-1), .zero, Duration(attoseconds: 1),
            .seconds(1),
            .seconds(Int64.max), Duration(attoseconds: .max),
        ]
        for start in times {
            for end in times where start <= end {
                let segment = SpeechResult(
                    range: start..<end, text: "one --> two",
                    words: [
                        .init("one", range: start..<end), .init("--> two", range: min(.zero, start)..<max(.zero, end)),
                    ])
                var writer = format.writer()
                var text = ""
                for _ in 0..<3 { text += writer.end(Transcript(segments: [segment, segment], duration: end)) }
                text += writer.finish()
                _ = try Player.captions(text, format)
            }
        }
    }
}

/// A player that reads captions as strictly as their format allows.
enum Player {
    enum Format: CaseIterable {
        case srt, vtt

        func writer(_ style: CaptionStyle = CaptionStyle()) -> any TranscriptWriter {
            self == .srt ? SRTWriter(style: style) : VTTWriter(style: style)
        }
    }

    struct Caption { var start: Int64, end: Int64, text: String }
    struct Unreadable: Error { var why: String }

    static func captions(_ text: String, _ format: Format) throws -> [Caption] {
        guard !text.contains("\r"), !text.unicodeScalars.contains("\0") else {
            throw Unreadable(why: "a control character")
        }
        var blocks = text.components(separatedBy: "\n\n")
        guard blocks.popLast() == "" else { throw Unreadable(why: "no empty line at the end") }
        if format == .vtt, blocks.isEmpty || blocks.removeFirst() != "WEBVTT" { throw Unreadable(why: "no header") }
        var last: Int64 = 0
        return try blocks.enumerated().map { index, block in
            var lines = block.components(separatedBy: "\n")
            if format == .srt, lines.removeFirst() != "\(index + 1)" { throw Unreadable(why: "number of \(index)") }
            guard lines.count > 1 else { throw Unreadable(why: "caption \(index) has no text") }
            let times = lines.removeFirst().components(separatedBy: " --> ").map { milliseconds($0, format) }
            guard times.count == 2, let start = times[0], let end = times[1] else {
                throw Unreadable(why: "no times in caption \(index)")
            }
            guard start >= last, end > start else {
                throw Unreadable(why: "caption \(index): \(start)…\(end) after \(last)")
            }
            last = end
            guard lines.allSatisfy({ !$0.isEmpty && !$0.contains("-->") }) else {
                throw Unreadable(why: "caption \(index) ends early")
            }
            let shown = withoutVoice(lines.joined(separator: "\n"))
            return Caption(start: start, end: end, text: try format == .vtt ? unescaped(shown) : plain(shown))
        }
    }

    /// A voice tag at the start ends at the first `>`.
    private static func withoutVoice(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.starts(with: "<v ".unicodeScalars), let end = scalars.firstIndex(of: ">") else { return text }
        return String(scalars[scalars.index(after: end)...])
    }

    private static func unescaped(_ text: String) throws -> String {
        guard !text.contains("<"), !text.contains(">") else { throw Unreadable(why: "markup") }
        // Works on scalars, because a mark that follows combines with the end of an escape.
        let parts = text.unicodeScalars.split(separator: "&", omittingEmptySubsequences: false)
        return try parts.dropFirst().reduce(into: String(String.UnicodeScalarView(parts[0]))) { text, part in
            guard let end = part.firstIndex(of: ";"),
                let shown = escapes[String(String.UnicodeScalarView(part[..<end]))]
            else {
                throw Unreadable(why: "an escape that is none")
            }
            text.unicodeScalars.append(contentsOf: shown.unicodeScalars)
            text.unicodeScalars.append(contentsOf: part[part.index(after: end)...])
        }
    }

    private static let escapes = ["lt": "<", "gt": ">", "amp": "&"]

    private static func plain(_ text: String) throws -> String {
        let bytes = Data(text.utf8)
        for mark in ["<b", "<i", "</", "{\\", "-->"] where bytes.range(of: Data(mark.utf8)) != nil {
            throw Unreadable(why: "markup")
        }
        return text
    }

    private static func milliseconds(_ text: String, _ format: Format) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count >= 2, parts[1].count == 2 else { return nil }
        let seconds = parts[2].split(separator: format == .srt ? "," : ".", omittingEmptySubsequences: false)
        guard seconds.count == 2, seconds[0].count == 2, seconds[1].count == 3, let hours = Int64(parts[0]),
            let minutes = Int64(parts[1]), let whole = Int64(seconds[0]), let rest = Int64(seconds[1]),
            minutes < 60, whole < 60, minutes >= 0, whole >= 0, rest >= 0, hours >= 0
        else { return nil }
        let (all, isTooLong) = hours.multipliedReportingOverflow(by: 3_600_000)
        guard !isTooLong else { return nil }
        return all.addingReportingOverflow((minutes * 60 + whole) * 1_000 + rest).partialValue
    }
}
