import Foundation
import Testing

/// Tests of the command in a terminal, whose screen an emulator reads.
@Suite struct TerminalTests {
    struct Screen: Decodable {
        var status: Int32
        var screen: String
        var seen: [String]
        var echo: Bool
        var cursor: Bool
        /// The state at each step.
        var echoes: [Bool]
        var cursors: [Bool]
        var widest: Int
        /// The number of escape sequences from the program.
        var commands: Int
    }

    static func terminal(_ steps: [String], _ command: [String], environment: [String: String] = [:]) async throws
        -> Screen
    {
        let outcome = try await Program.run(
            "/usr/bin/python3", [Program.fixtures + "/terminal.py"] + steps + ["--"] + command,
            environment: environment, within: 120)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try JSONDecoder().decode(Screen.self, from: Data(outcome.output.utf8))
    }

    /// Checks that the terminal is in its original state.
    private func checkRestored(_ screen: Screen) {
        #expect(screen.echo)
        #expect(screen.cursor)
    }

    private func longScript(in folder: Folder) throws -> String {
        let volatile = (0..<30).map { "word\($0)" }.joined(separator: " ")
        let script = """
            {"version":1,"steps":[
              {"at":0.3,"volatile":"日本語 maybe"},
              {"at":0.6,"final":"日本語 surely"},
              {"at":0.9,"volatile":"\(volatile)"},
              {"at":60,"final":"the end"}]}
            """
        try Data(script.utf8).write(to: URL(filePath: folder.file("long.json")))
        return folder.file("long.json")
    }

    @Test func volatileTextIsDimmedAndFinalTextStays() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 100)
        let screen = try await Self.terminal(
            ["dim:日本語 maybe", "wait:日本語 surely", "dim:word29", "wait:listening", "key:\\x03", "end"],
            [Program.dictate, "live", "--device", "file:\(tone)", "--script", try longScript(in: folder), "--meter"])
        #expect(screen.status == 0, "\(screen)")
        // The last volatile text is final, and the panel is gone.
        #expect(
            screen.screen.hasPrefix("日本語 surely\n") || screen.screen.hasPrefix("日 本 語 surely\n"), "\(screen.screen)")
        #expect(screen.screen.contains("word29"))
        #expect(!screen.screen.contains("maybe") && !screen.screen.contains("●"), "\(screen.screen)")
        #expect(screen.seen[3].contains("█"), "the meter is missing: \(screen.seen[3])")
        checkRestored(screen)
    }

    @Test func aSecondInterruptCancels() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 100)
        try Data(
            #"{"version":1,"steps":[{"at":0.2,"volatile":"still open"},{"slowFinish":"never"}]}"#.utf8
        ).write(to: URL(filePath: folder.file("never.json")))
        let screen = try await Self.terminal(
            ["wait:still open", "key:\\x03", "wait:finishing", "key:\\x03", "end"],
            [Program.dictate, "live", "--device", "file:\(tone)", "--script", folder.file("never.json")])
        #expect(screen.status == 130, "\(screen)")
        #expect(!screen.screen.contains("still open"), "\(screen)")
        checkRestored(screen)
    }

    @Test(arguments: ["SIGINT", "SIGTERM", "SIGHUP"])
    func theTerminalIsRestoredWhateverEndsIt(signal: String) async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 100)
        let screen = try await Self.terminal(
            ["wait:word29", "signal:\(signal)", "end"],
            [Program.dictate, "live", "--device", "file:\(tone)", "--script", try longScript(in: folder)])
        #expect(screen.status == 0)
        #expect(screen.screen.contains("word29"))
        checkRestored(screen)
    }

    /// Ctrl-Z at any moment of drawing restores the terminal, and a resumed program draws again.
    @Test func aSuspendedProgramGivesTheTerminalBack() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 100)
        let rounds = 5
        let round = ["wait:word29", "key:\\x1a", "stopped", "signal:SIGCONT", "dim:word29"]
        let screen = try await Self.terminal(
            (0..<rounds).flatMap { _ in round } + ["key:\\x03", "end"],
            [Program.dictate, "live", "--device", "file:\(tone)", "--script", try longScript(in: folder), "--meter"])
        #expect(screen.status == 0, "\(screen)")
        for first in stride(from: 0, to: rounds * round.count, by: round.count) {
            let (stopped, drawn) = (first + 2, first + 4)
            #expect(screen.echoes[stopped] && screen.cursors[stopped])
            #expect(!screen.seen[stopped].contains("●") && !screen.seen[stopped].contains("word29"))
            #expect(!screen.echoes[drawn] && !screen.cursors[drawn])
        }
        checkRestored(screen)
    }

    /// Sends signals at random moments, some of them before the first drawing.
    @Test func aSignalAtARandomMomentLeavesTheTerminalAsItWas() async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 100)
        let script = try longScript(in: folder)
        let rounds = ProcessInfo.processInfo.environment["DICTATE_SIGNAL_ROUNDS"].flatMap(Int.init) ?? 9
        for round in 0..<rounds {
            let name = ["SIGINT", "SIGTERM", "SIGHUP"][round % 3]
            let delay = Double.random(in: 0...1)
            let screen = try await Self.terminal(
                ["after:\(delay)", "signal:\(name)", "end"],
                [Program.dictate, "live", "--device", "file:\(tone)", "--script", script, "--meter"])
            // A signal before the program's first line ends it as it ends any program.
            let number: Int32 = name == "SIGINT" ? SIGINT : name == "SIGTERM" ? SIGTERM : SIGHUP
            #expect([0, 128 + number, -number].contains(screen.status), "\(name) after \(delay): \(screen)")
            #expect(!screen.screen.contains("●"), "\(name) after \(delay): \(screen.screen)")
            checkRestored(screen)
        }
    }

    @Test(arguments: ["20x6", "200x50", "10x3"])
    func aResizedWindowIsDrawnAnew(size: String) async throws {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 100)
        let screen = try await Self.terminal(
            ["wait:word29", "resize:\(size)", "wait:word29", "key:\\x03", "end"],
            [Program.dictate, "live", "--device", "file:\(tone)", "--script", try longScript(in: folder), "--meter"])
        #expect(screen.status == 0)
        #expect(!screen.screen.contains("●"), "\(screen.screen)")
        checkRestored(screen)
    }

    @Test func severalFilesHaveABarEachAndATotal() async throws {
        let folder = try Folder()
        let tones = [try folder.tone("a.wav", seconds: 3), try folder.tone("b.wav", seconds: 3)]
        try Data(
            #"{"version":1,"steps":[{"at":1,"final":"first"},{"at":2,"stall":3},{"at":2.5,"final":"second"}]}"#.utf8
        ).write(to: URL(filePath: folder.file("slow.json")))
        let screen = try await Self.terminal(
            ["wait:a.wav", "wait:b.wav", "wait:0 of 2 done", "end"],
            [Program.dictate, "transcribe", "--jobs", "2", "--script", folder.file("slow.json")] + tones)
        #expect(screen.status == 0)
        #expect(screen.seen[2].contains("▕"), "\(screen.seen[2])")
        #expect(screen.screen.contains("first\nsecond"))
        #expect(!screen.screen.contains("of 2 done"))
        checkRestored(screen)
    }

    @Test func quietDrawsNothing() async throws {
        let folder = try Folder()
        let screen = try await Self.terminal(
            ["end"],
            [
                Program.dictate, "transcribe", try folder.tone(seconds: 3), "--script", Program.script, "--quiet",
                "--format", "srt", "--output", folder.file("a.srt"),
            ])
        #expect(screen.status == 0)
        #expect(screen.screen.isEmpty && screen.commands == 0, "\(screen)")
        let live = try await Self.terminal(
            ["end"],
            [
                Program.dictate, "live", "--device", "file:\(try folder.tone(seconds: 3))", "--script", Program.script,
                "--quiet", "--meter",
            ])
        #expect(live.status == 0)
        #expect(live.screen.hasPrefix("go forward") && live.commands == 0, "\(live)")
    }

    @Test func previewShowsTextThatMayChange() async throws {
        let folder = try Folder()
        try Data(
            #"{"version":1,"steps":[{"at":1,"volatile":"perhaps so"},{"at":1.5,"stall":2},{"at":2,"final":"it is so"}]}"#
                .utf8
        ).write(to: URL(filePath: folder.file("preview.json")))
        let screen = try await Self.terminal(
            ["dim:perhaps so", "end"],
            [
                Program.dictate, "transcribe", try folder.tone(seconds: 3), "--script", folder.file("preview.json"),
                "--preview",
            ])
        #expect(screen.screen == "it is so", "\(screen)")
        checkRestored(screen)
    }

    /// The text grows, and the bar shows how much audio became text, not how much was read. `Scripts/demo` shows this
    /// too.
    @Test func anEnginesPreviewGrowsWithItsBar() async throws {
        let recording = "/usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_01_austen_64kb-0870.wav"
        try #require(
            FileManager.default.fileExists(atPath: recording),
            "\(recording) is missing; Scripts/install-dependencies installs it.")
        let screen = try await Self.terminal(
            ["dim:mr john", "dim:much there", "end"],
            [
                Program.dictate, "transcribe", "--engine", "pocketsphinx", "--preview", "--jobs", "4", recording,
            ])
        #expect(screen.status == 0, "\(screen)")
        let parts = screen.seen.prefix(2).compactMap { screen in
            screen.firstMatch(of: /(\d+) %/).flatMap { Int($0.1) }
        }
        try #require(parts.count == 2, "\(screen.seen)")
        #expect(parts[0] > 0 && parts[0] < parts[1] && parts[1] < 90, "\(screen.seen)")
        #expect(screen.screen.contains("leisure to consider"), "\(screen.screen)")
        checkRestored(screen)
    }

    @Test func inAPipeNothingIsDrawn() async throws {
        let folder = try Folder()
        let outcome = try await Program.run([
            "live", "--device", "file:\(try folder.tone(seconds: 3))", "--script", Program.script, "--meter",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output == "go forward ten <meters> & {stop}\n日本語 and wide 文字\n")
        #expect(outcome.errors.isEmpty)
    }

    @Test func aTakeEndsAfterItsTime() async throws {
        let folder = try Folder()
        let outcome = try await Program.run([
            "live", "--device", "file:\(try folder.tone(seconds: 60))", "--script", Program.script, "--for", "2.5",
            "--format", "json",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("go forward"))
        #expect(!outcome.output.contains("文字"))
    }
}
