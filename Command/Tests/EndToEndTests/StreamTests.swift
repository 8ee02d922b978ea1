import Foundation
import Testing

/// Tests with readers that leave, full disks, and signals at any time.
@Suite struct StreamTests {
    /// A script that emits text ten times a second.
    private static let chatter =
        #"{"version":1,"steps":[{"at":0.1,"final":"word after word"},{"at":0.1,"repeats":0.1}]}"#

    private func chatter(in folder: Folder) throws -> String {
        try Data(Self.chatter.replacing(#"{"at":0.1,"repeats":0.1}"#, with: #"{"repeats":0.1}"#).utf8)
            .write(to: URL(filePath: folder.file("chatter.json")))
        return folder.file("chatter.json")
    }

    @Test(arguments: ["text", "json", "srt", "vtt"])
    func aReaderThatLeavesEndsTheWorkInSilence(format: String) async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 120)
        let outcome = try await Program.bash(
            """
            "$dictate" transcribe '\(tone)' --script '\(try chatter(in: folder))' --format \(format) | head -c 7 >/dev/null
            echo "${PIPESTATUS[0]}"
            """)
        #expect(outcome.output == "0\n", "\(outcome)")
        #expect(outcome.errors.isEmpty)
    }

    /// A reader that left is not an error, whatever the command writes.
    @Test(arguments: [
        "help", "help transcribe", "--version", "completions bash", "completions zsh", "completions fish",
        "devices --follow", "models list", "models list --format json", "doctor --device file:$tone",
        "live --device file:$tone --script $chatter", "transcribe $tone $tone --words --script $chatter",
    ]) func nobodyReads(arguments: String) async throws {
        let folder = try Folder()
        let outcome = try await Program.bash(
            """
            tone='\(try folder.tone(seconds: 3))' chatter='\(try chatter(in: folder))'
            export ALSA_CONFIG_PATH='\(folder.path)/alsa.conf'
            echo '</usr/share/alsa/alsa.conf>' >"$ALSA_CONFIG_PATH"
            echo 'pcm.one { type null hint { show on description "One" } }' >>"$ALSA_CONFIG_PATH"
            # A pipe whose reader leaves before the first write.
            exec 3> >(:); wait $!
            "$dictate" \(arguments) >&3; echo "status $?"
            """)
        #expect(outcome.output == "status 0\n", "\(outcome)")
        #expect(outcome.errors.isEmpty, "\(outcome)")
    }

    @Test(arguments: ["text", "json", "srt", "vtt"])
    func aFullDiskIsToldOf(format: String) async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        for place in ["--output /dev/full", ">/dev/full"] {
            let outcome = try await Program.bash(
                "\"$dictate\" transcribe '\(tone)' --script \"$script\" --format \(format) \(place)")
            #expect(outcome.status == 1, "\(outcome)")
            #expect(outcome.errors.contains("No space left on device"))
            #expect(outcome.errors.contains("Free some space"))
        }
    }

    /// A limit on the size of files stops the command in the middle of a document. No incomplete document remains.
    @Test(arguments: ["text", "json", "srt", "vtt"])
    func aDiskThatFillsUpLeavesNoHalfDocument(format: String) async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 120)
        let script = try chatter(in: folder)
        let outcome = try await Program.bash(
            """
            cd '\(folder.path)'; mkdir limited
            run() { "$dictate" transcribe '\(tone)' --script '\(script)' --format \(format) --output "$1"; echo "status $?"; }
            for blocks in 1 4 15; do (ulimit -f $blocks; run limited/text; run limited/folder/); done
            find limited -type f
            """)
        #expect(outcome.output == String(repeating: "status 1\n", count: 6), "\(outcome)")
        #expect(outcome.errors.components(separatedBy: "File too large").count == 7, "\(outcome)")
    }

    @Test func aFolderThatCannotBeWrittenIsToldOf() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        let outcome = try await Program.run([
            "transcribe", tone, "--script", Program.script, "--output", "/proc/nowhere/text.txt",
        ])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("/proc/nowhere/text.txt can't be written"), "\(outcome)")
    }

    @Test func closedStreamsDoNotHang() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 3)
        let outcome = try await Program.bash(
            "\"$dictate\" transcribe '\(tone)' --script \"$script\" >&- 2>&- <&-; echo $?")
        #expect(outcome.output == "1\n", "\(outcome)")
    }

    /// At any time, a signal ends the program soon, with the right exit code and without incomplete files.
    @Test func signalsAtRandomMoments() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 20)
        let script = try chatter(in: folder)
        let rounds = ProcessInfo.processInfo.environment["DICTATE_SIGNAL_ROUNDS"].flatMap(Int.init) ?? 12
        for round in 0..<rounds {
            let delay = Double.random(in: 0...0.3)
            let name = ["INT", "TERM", "HUP", "QUIT", "KILL"][round % 5]
            let outcome = try await Program.bash(
                """
                set -m; rm -rf '\(folder.path)/out'
                "$dictate" transcribe '\(tone)' '\(tone)' --script '\(script)' --format vtt --output '\(folder.path)/out/' --quiet &
                sleep \(delay); kill -\(name) $!; wait $!
                """, within: 30)
            // A signal before the program's first line has the shell's exit code for a signal.
            #expect([0, 1, 130, 129, 131, 137, 143].contains(outcome.status), "\(name) after \(delay): \(outcome)")
            for file in folder.names where file.hasSuffix(".part") { Issue.record("\(file) was left behind") }
            let written = (try? FileManager.default.contentsOfDirectory(atPath: folder.file("out"))) ?? []
            for file in written {
                #expect(!file.hasSuffix(".part"), "\(name) after \(delay)")
                let text = try folder.text("out/\(file)")
                #expect(text.hasPrefix("WEBVTT\n\n") && text.hasSuffix("\n\n"), "\(name) after \(delay)")
            }
        }
    }
}
