import Foundation
import Testing

/// Recordings and options as hasty people combine them.
@Suite struct SurfaceTranscriptTests {
    /// Runs a script in a folder with the recording a.wav, which has two channels, and memo.m4a, whose index is at its end.
    private func run(_ script: String) async throws -> Outcome {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        return try await Program.bash(
            """
            cd '\(folder.path)'; ffmpeg -nostdin -v error -i '\(tone)' -ac 2 a.wav -ac 2 memo.m4a || exit 9
            t() { "$dictate" transcribe --script "$script" "$@"; }
            \(script)
            """)
    }

    @Test func aVoiceMemoComesThroughAPipe() async throws {
        let outcome = try await run("cat memo.m4a | t -; head -c 9000 memo.m4a | t - && echo complete")
        #expect(outcome.output == "go forward ten <meters> & {stop}\n日本語 and wide 文字\n", "\(outcome)")
        #expect(outcome.errors.contains("Standard input is not a recording that can be read"))
    }

    @Test func captionsOfBothSpeakersCanBeRead() async throws {
        let outcome = try await run("t a.wav --channels separate --format srt --paragraphs --numbers")
        let times = outcome.output.split(separator: "\n").filter { $0.contains(" --> ") }.map { line in
            line.components(separatedBy: " --> ").map { time in
                time.split { ":,".contains($0) }.compactMap { Double($0) }.enumerated()
                    .reduce(0) { $0 + $1.element * [3_600, 60, 1, 0.001][$1.offset] }
            }
        }
        #expect(times.count == 4 && times.allSatisfy { $0[1] - $0[0] > 0.3 }, "\(outcome)")
        #expect(outcome.output.contains("Speaker 1: ") && outcome.output.contains("Speaker 2: "))
    }

    @Test func aNameThatIsNoTextIsNamed() async throws {
        let outcome = try await run(#"cp a.wav $'b\xff.wav'; t $'b\xff.wav'; echo $?; t - <$'b\xff.wav' | head -n 1"#)
        #expect(outcome.output == "2\ngo forward ten <meters> & {stop}\n", "\(outcome)")
        #expect(outcome.errors.contains("is not text in UTF-8. Rename the file, or pass it as standard input."))
    }

    @Test func recordingsWithTheSameNameGetFilesOfTheirOwn() async throws {
        let outcome = try await run(
            """
            mkdir x y out; cp a.wav x; cp a.wav y; echo old >out/a.srt
            t x/a.wav y/a.wav a.wav a.wav --format vtt --format json --output out; ls out; head -n 1 out/*.vtt
            """)
        #expect(outcome.errors.isEmpty, "\(outcome)")
        for name in ["a.json", "a-2.json", "a-3.json", "a-4.json", "a.vtt", "a-2.vtt", "a-3.vtt", "a-4.vtt"] {
            #expect(outcome.output.contains("\n" + name) || outcome.output.hasPrefix(name), "\(outcome)")
        }
    }

    @Test func aRecordingThatWasJoinedToAnotherSaysSo() async throws {
        let outcome = try await run(
            "ffmpeg -nostdin -v error -i a.wav a.mp3; cat a.mp3 a.mp3 >both.mp3; t both.mp3; echo $?; t a.mp3; echo $?")
        #expect(outcome.output.contains("文字\n1\n") && outcome.output.hasSuffix("文字\n0\n"), "\(outcome)")
        #expect(outcome.errors.contains("has another recording after 3.0 seconds, which is not read"), "\(outcome)")
    }
}
