import Foundation
import Testing

/// Tests that the audio of `live --spool` survives the program until its text is safe.
@Suite struct SpoolTests {
    private static let recording =
        "/usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_01_austen_64kb-0870.wav"

    @Test func nothingStaysOnceTheTextIsSafe() async throws {
        let folder = try Folder()
        let outcome = try await Program.run([
            "live", "--device", "file:\(try folder.tone(seconds: 3))", "--script", Program.script, "--spool",
            folder.file("spool"),
        ])
        #expect(outcome.status == 0 && outcome.output.hasPrefix("go forward"), "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("spool")).isEmpty)
    }

    @Test func aKilledTakeIsTranscribedLater() async throws {
        let folder = try Folder()
        try #require(
            FileManager.default.fileExists(atPath: Self.recording),
            "\(Self.recording) is missing; Scripts/install-dependencies installs it.")
        let outcome = try await Program.bash(
            """
            spool='\(folder.file("spool"))'
            "$dictate" live --engine pocketsphinx --device 'file:\(Self.recording)' --spool "$spool" >/dev/null &
            for _ in $(seq 600); do
                [ "$(cat "$spool"/*/*.wav 2>/dev/null | wc -c)" -gt 96000 ] && break
                sleep 0.05
            done
            kill -KILL $!; wait $! 2>/dev/null; echo "status $?"
            "$dictate" transcribe --engine pocketsphinx "$spool"/*/*.wav
            """)
        // At least three seconds of audio.
        #expect(outcome.output.hasPrefix("status 137\n"), "\(outcome)")
        #expect(outcome.output.contains("leisure"), "\(outcome)")
    }

    @Test func whatFailsKeepsItsAudio() async throws {
        let folder = try Folder()
        try Data(
            #"{"version":1,"steps":[{"at":0.5,"final":"said"},{"at":1,"error":{"code":"engineFailed","message":"It broke."}}]}"#
                .utf8
        )
        .write(to: URL(filePath: folder.file("fails.json")))
        let outcome = try await Program.run([
            "live", "--device", "file:\(try folder.tone(seconds: 3))", "--script", folder.file("fails.json"), "--spool",
            folder.file("spool"),
        ])
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.output == "said\n")
        #expect(outcome.errors.contains("The audio is kept in \(folder.file("spool"))"), "\(outcome)")
        let kept = try FileManager.default.contentsOfDirectory(atPath: folder.file("spool"))
        #expect(kept.count == 1)
    }

    @Test func whatASlowEngineMissedIsNamedAndKept() async throws {
        let folder = try Folder()
        try Data(#"{"version":1,"steps":[{"at":0.5,"final":"said"},{"at":1,"stall":"forever"}]}"#.utf8)
            .write(to: URL(filePath: folder.file("slow.json")))
        let outcome = try await Program.run([
            "live", "--device", "file:\(try folder.tone(seconds: 3))", "--script", folder.file("slow.json"), "--spool",
            folder.file("spool"), "--format", "json",
        ])
        #expect(outcome.output.contains(#""cause":"engineBehind""#), "\(outcome)")
        #expect(!outcome.output.contains("engineFailed"), "\(outcome)")
        #expect(outcome.errors.contains("(the engine was too slow)") && outcome.status == 5, "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("spool")).count == 1)
    }

    @Test func aFullDiskCostsTheSpoolAndNotTheText() async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            """
            ulimit -f 40
            "$dictate" live --device 'file:\(try folder.tone(seconds: 3))' --script "$script" \\
                --spool '\(folder.file("spool"))'
            """)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output == "go forward ten <meters> & {stop}\n日本語 and wide 文字\n", "\(outcome)")
        #expect(outcome.errors.contains("the audio is not kept"), "\(outcome)")
    }
}
