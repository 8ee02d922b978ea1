import DictationCore
import DictationTesting
import Foundation
import TestSupport
import Testing

@testable import DictationText

/// Captions as players that others wrote understand them.
@Suite(.serialized, .timeLimit(.minutes(4))) struct SurfaceCaptionProofTests {
    private struct Cue: Decodable { var start: Double, end: Double, text: String }

    private static func transcript(seed: UInt64) -> Transcript {
        var hostile = HostileDocument(random: SplitMix64(seed: seed), hasSpeakers: seed % 2 == 0)
        return hostile.transcript(upTo: 12)
    }

    private static func opened(in folder: PageFolder) async throws -> Browser {
        try await Browser.open(
            try folder.save(Data("<!DOCTYPE html><video></video>".utf8), as: "page.html"), in: folder)
    }

    /// Returns the captions that the browser reads from a document.
    private static func cues(of document: String, in browser: Browser) async throws -> [Cue] {
        try await browser.value(
            """
            new Promise((done, failed) => {
              const track = document.createElement("track");
              track.onerror = () => failed(new Error("no captions"));
              track.onload = () => {
                const cues = Array.from(track.track.cues, cue => (
                  { start: cue.startTime, end: cue.endTime, text: cue.getCueAsHTML().textContent }));
                track.remove();
                done(cues);
              };
              track.default = true;
              track.src = "data:text/vtt;base64,\(Data(document.utf8).base64EncodedString())";
              document.querySelector("video").append(track);
              track.track.mode = "hidden";
            })
            """)
    }

    @Test func aBrowserShowsTheGoldenFiles() async throws {
        let folder = try PageFolder()
        let browser = try await Self.opened(in: folder)
        for golden in GoldenTranscript.allCases {
            let document = try String(contentsOf: golden.file(.vtt), encoding: .utf8)
            let captions = try Player.captions(document, .vtt)
            let cues = try await Self.cues(of: document, in: browser)
            #expect(cues.map { ($0.start * 1_000).rounded() } == captions.map { Double($0.start) })
            #expect(cues.map { ($0.end * 1_000).rounded() } == captions.map { Double($0.end) })
            #expect(cues.map(\.text) == captions.map(\.text))
        }
    }

    @Test func aBrowserShowsEachCaptionOfAnyText() async throws {
        let folder = try PageFolder()
        let browser = try await Self.opened(in: folder)
        for seed in 1...60 as ClosedRange<UInt64> {
            let document = VTTWriter().document(Self.transcript(seed: seed))
            let captions = try Player.captions(document, .vtt)
            let cues = try await Self.cues(of: document, in: browser)
            #expect(cues.count == captions.count, "seed \(seed): \(document)")
            for (cue, caption) in zip(cues, captions) {
                #expect(
                    abs(cue.start * 1_000 - Double(caption.start)) < 1 && abs(cue.end * 1_000 - Double(caption.end)) < 1
                )
                #expect(cue.text == caption.text, "seed \(seed)")
            }
        }
    }

    @Test(arguments: Player.Format.allCases) func ffmpegReadsEachCaptionOfAnyText(_ format: Player.Format) throws {
        let folder = try PageFolder()
        for seed in 1...40 as ClosedRange<UInt64> {
            let document = format.writer().document(Self.transcript(seed: seed))
            guard !document.isEmpty else { continue }
            let file = try folder.save(Data(document.utf8), as: "captions")
            let (process, output) = (Process(), Pipe())
            process.executableURL = URL(filePath: "/usr/bin/ffprobe")
            process.arguments = [
                "-v", "error", "-f", format == .srt ? "srt" : "webvtt", "-show_entries", "packet=pts,duration", "-of",
                "csv=p=0", file.path,
            ]
            process.standardOutput = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            let times = text.split(whereSeparator: \.isNewline).map {
                $0.split(separator: ",").prefix(2).map { Int64($0) }
            }
            let expected = try Player.captions(document, format).map { [$0.start, $0.end - $0.start] }
            #expect(times == expected, "seed \(seed): \(document)")
        }
    }
}
