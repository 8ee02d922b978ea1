import DictationCore
import Foundation
import TestSupport
import Testing

@testable import DictationText

/// Caption files that were read by a person once, and are read by FFmpeg's parsers at each test.
@Suite struct GoldenCaptionTests {
    @Test(arguments: GoldenTranscript.allCases, Player.Format.allCases)
    func aWriterWritesTheFile(_ golden: GoldenTranscript, _ format: Player.Format) throws {
        let file = try String(contentsOf: golden.file(format), encoding: .utf8)
        let text = format.writer().document(golden.transcript)
        #expect(Array(text.utf8) == Array(file.utf8), "\(text)")
    }

    /// FFmpeg reads each file, and writes it in the other format with the same times and the same words.
    @Test(arguments: GoldenTranscript.allCases, Player.Format.allCases)
    func ffmpegConvertsTheFile(_ golden: GoldenTranscript, _ format: Player.Format) throws {
        let other: Player.Format = format == .srt ? .vtt : .srt
        let (process, output, errors) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
        process.arguments = [
            "-v", "warning", "-nostdin", "-i", golden.file(format).path, "-f", other == .srt ? "srt" : "webvtt", "-",
        ]
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let converted = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaints = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && complaints.isEmpty, "\(complaints)")

        let expected = try Player.captions(try String(contentsOf: golden.file(format), encoding: .utf8), format)
        let read = try Self.cues(converted)
        #expect(read.map(\.start) == expected.map(\.start))
        #expect(read.map(\.end) == expected.map(\.end))
        #expect(read.map { Self.plain($0.text) } == expected.map { Self.plain($0.text) })
    }

    /// Captions in FFmpeg's spelling: hours may be missing, and escapes stay.
    private static func cues(_ text: String) throws -> [Player.Caption] {
        try text.components(separatedBy: "\n\n").filter { $0.contains(" --> ") }.map { block in
            let lines = block.components(separatedBy: "\n").drop { !$0.contains(" --> ") }
            let times = try #require(lines.first).components(separatedBy: " --> ").map { time in
                time.split { ":,.".contains($0) }.compactMap { Int64($0) }.reversed()
            }
            let (start, end) = try (#require(times.first), #require(times.last))
            func milliseconds(_ parts: [Int64]) -> Int64 {
                zip(parts, [1, 1_000, 60_000, 3_600_000]).reduce(0) { $0 + $1.0 * $1.1 }
            }
            return Player.Caption(
                start: milliseconds(Array(start)), end: milliseconds(Array(end)),
                text: lines.dropFirst().joined(separator: "\n"))
        }
    }

    /// The text as a viewer sees it, without the writers' escapes: FFmpeg's for SubRip are a backslash and CRLF.
    private static func plain(_ text: String) -> String {
        text.replacing("\u{2060}", with: "").replacing("\r\n", with: "\n").replacing("\\{", with: "{")
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
            .trimmingCharacters(in: .newlines)
    }
}
