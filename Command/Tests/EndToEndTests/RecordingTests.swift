import Foundation
import Testing

/// Tests of recordings that FFmpeg reads, and of their channels and tracks.
@Suite struct RecordingTests {
    private let lines = ["go forward ten <meters> & {stop}", "日本語 and wide 文字"]

    /// Makes a recording of three seconds from a recipe for FFmpeg, and transcribes it.
    private func transcribe(_ recipe: String, _ arguments: String) async throws -> Outcome {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        return try await Program.bash(
            """
            cd '\(folder.path)'; ffmpeg -nostdin -v error -i '\(tone)' \(recipe) || exit 9
            "$dictate" transcribe \(arguments) --script "$script"
            """)
    }

    @Test(arguments: ["memo.m4a", "film.mkv", "- <memo.webm"]) func aVoiceMemoNeedsNoConversion(_ name: String)
        async throws
    {
        let outcome = try await transcribe(name.replacing("- <", with: ""), name)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.output == lines.map { $0 + "\n" }.joined())
    }

    @Test func separateChannelsTakeTurns() async throws {
        for (channels, count) in [("mixed", 1), ("1", 1), ("2", 1), ("separate", 2)] {
            let outcome = try await transcribe("-ac 2 call.m4a", "call.m4a --channels \(channels)")
            // The text may name its speaker.
            let said = outcome.output.split(separator: "\n").map { $0.replacing(#/^Speaker [12]: /#, with: "") }
            #expect(outcome.status == 0, "\(outcome)")
            #expect(
                said.map(String.init) == lines.flatMap { [String](repeating: $0, count: count) },
                "\(channels): \(outcome)")
        }
    }

    @Test(arguments: [
        ("--channels 3", "has 2 channels, and no channel 3. Choose a channel from 1 to 2."),
        ("--track 2", "has one audio track, and no audio track 2. Leave the track out."),
    ])
    func aPartThatIsMissingIsNamed(_ option: String, _ says: String) async throws {
        let outcome = try await transcribe("-ac 2 call.m4a", "call.m4a \(option)")
        #expect(outcome.status == 1 && outcome.errors.contains("“call.m4a” " + says), "\(outcome)")
    }

    @Test(arguments: ["--channels 0", "--channels left", "--track 0"]) func anImpossiblePartIsAUsageError(
        _ option: String
    ) async throws {
        let outcome = try await Program.bash("\"$dictate\" transcribe a.wav \(option)")
        #expect(outcome.status == 2 && outcome.errors.contains("is not a value of --"), "\(outcome)")
    }

    @Test func aTrackIsChosen() async throws {
        let outcome = try await transcribe(
            "-f lavfi -i anullsrc=d=3 -map 0 -map 1 two.mkv", "two.mkv --track 2")
        #expect(outcome.status == 0 && outcome.output.hasPrefix("go forward"), "\(outcome)")
    }
}
