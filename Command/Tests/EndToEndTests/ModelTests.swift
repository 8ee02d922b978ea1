import Foundation
import Testing

/// Tests with models from a server on loopback and an empty store.
@Suite struct ModelTests {
    private func models(_ line: String) async throws -> Outcome {
        try await Program.run(
            "/bin/bash", [Program.fixtures + "/with-catalog.sh", "/bin/bash", "-c", line],
            environment: ["dictate": Program.dictate, "fixtures": Program.fixtures], within: 240)
    }

    @Test func aModelIsInstalledUsedVerifiedAndRemoved() async throws {
        let outcome = try await models(
            """
            "$dictate" models install good --catalog "$CATALOG" && "$dictate" models list --locale eo-AU
            "$dictate" models install good
            "$dictate" transcribe --locale eo-AU /usr/share/pocketsphinx/test/data/librivox/*0880.wav
            "$dictate" models verify good
            printf x >>"$XDG_DATA_HOME"/swift-dictation/models/good/en-us/mdef
            "$dictate" models verify good; echo "status $?"
            "$dictate" models remove good && "$dictate" models list --locale eo-AU
            """)
        let lines = outcome.output.split(separator: "\n")
        try #require(lines.count >= 6, "\(outcome)")
        #expect(lines[0] == "good: installed")
        #expect(lines[1] == "STATUS\tMODEL\tENGINE\tLOCALES\tSIZE")
        #expect(lines[2].hasPrefix("installed\tgood\tpocketsphinx\teo-AU\t"))
        #expect(outcome.output.contains("\ngood: installed already\n"), "\(outcome)")
        #expect(outcome.output.contains("young man\n"), "\(outcome)")
        #expect(outcome.output.contains("good: verified\n"))
        #expect(outcome.output.contains("status 4\n"))
        #expect(
            outcome.output.contains("good: removed\nSTATUS\tMODEL\tENGINE\tLOCALES\tSIZE\nnot installed\tgood\t"),
            "\(outcome)")
    }

    @Test func aListChangesNothing() async throws {
        let outcome = try await models(
            """
            "$dictate" models list --locale eo-AU --catalog "$CATALOG"; echo "status $?"
            "$dictate" models list --locale eo-AU; echo "status $?"
            find "$XDG_DATA_HOME" -type f
            """)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("not installed\tgood\t") }, "\(outcome)")
        #expect(lines.suffix(2) == ["status 0", "status 4"], "\(outcome)")
    }

    @Test func theListHasWhatWasAskedFor() async throws {
        let folder = try Folder()
        let environment = ["XDG_DATA_HOME": folder.path]
        func list(_ arguments: [String]) async throws -> Outcome {
            try await Program.run(["models", "list"] + arguments, environment: environment)
        }
        for engine in ["pocketsphinx", "sherpa-onnx"] {
            let rows = try await list(["--engine", engine]).output.split(separator: "\n").dropFirst()
            #expect(rows.count >= 3)
            for row in rows { #expect(row.split(separator: "\t")[2] == engine, "\(row)") }
        }
        for arguments in [["--locale", "tlh"], ["--engine", "scripted"], ["--locale", "tlh", "--format", "json"]] {
            let none = try await list(arguments)
            #expect(none.status == 4 && none.errors.contains("No model is known for that."), "\(none)")
            #expect(none.output == (arguments.count > 2 ? "{\"models\":[],\"version\":1}\n" : ""))
        }
    }
}

extension ModelTests {
    /// What takes too long for everyday runs.
    @Suite struct ProofTests {
        private let tests = ModelTests()

        @Test func aModelThatIsNotWhatItShouldBeIsNotInstalled() async throws {
            let outcome = try await tests.models(
                """
                "$dictate" models install spoilt good --catalog "$CATALOG" --format json; echo "status $?"
                "$dictate" models list --locale eo-AU
                """)
            #expect(!outcome.output.contains("status 0"))
            #expect(outcome.output.contains(#""id":"spoilt","outcome":"failed""#), "\(outcome)")
            // A failed model does not stop the others.
            #expect(outcome.output.contains(#""id":"good","outcome":"installed""#), "\(outcome)")
            #expect(outcome.output.contains("not installed\tspoilt"))
        }

        @Test func aModelThatNothingIsKnownOfIsInstalledWhenTheUserSaysSo() async throws {
            let outcome = try await tests.models(
                """
                "$dictate" models install loose --catalog "$CATALOG"; echo "status $?"
                "$dictate" models list --locale eo-AU
                "$dictate" models install loose --allow-unpinned; echo "status $?"
                "$dictate" models remove loose
                "$dictate" models install loose; echo "status $?"
                "$dictate" models verify loose
                "$dictate" models forget loose; echo "status $?"
                "$dictate" models remove loose; "$dictate" models install loose; echo "status $?"
                """)
            let lines = outcome.output.split(separator: "\n").map(String.init)
            #expect(lines.first == "status 4", "\(outcome)")
            #expect(outcome.errors.contains("--allow-unpinned"))
            // The warning appears once, for the installation that needed --allow-unpinned.
            let trust = outcome.errors.split(separator: "\n").filter { $0.contains("its hashes are not known") }
            #expect(trust.count == 1, "\(outcome)")
            #expect(
                trust.allSatisfy { $0.contains("http://127.0.0.1:") && $0.contains("no proof at all") }, "\(outcome)")
            #expect(
                lines.contains { $0.hasPrefix("not installed\tloose\t") && $0.hasSuffix(", unpinned") }, "\(outcome)")
            // The installation recorded the hashes, so the model no longer needs --allow-unpinned.
            #expect(
                lines.suffix(9) == [
                    "loose: installed", "status 0", "loose: removed", "loose: installed", "status 0", "loose: verified",
                    "status 0", "loose: removed", "status 4",
                ], "\(outcome)")
        }

        /// An unsigned catalog does not match a key, and a damaged catalog does not hide the others.
        @Test func aCatalogueIsHeldToItsKeyAndADamagedOneIsSaid() async throws {
            let outcome = try await tests.models(
                """
                key=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=
                "$dictate" models list --catalog "$CATALOG" --catalog-key "$key"; echo "status $?"
                "$dictate" models list --catalog "$CATALOG" --catalog-key short; echo "status $?"
                "$dictate" models list --catalog "$CATALOG" >/dev/null; echo "status $?"
                "$dictate" models remove good --catalog "$CATALOG" 2>/dev/null
                echo '{' >"$XDG_DATA_HOME"/swift-dictation/models/.catalogs/damaged.json
                "$dictate" models list --locale eo-AU; echo "status $?"
                """)
            let lines = outcome.output.split(separator: "\n").map(String.init)
            #expect(lines.prefix(2).allSatisfy { $0.hasPrefix("status ") && $0 != "status 0" }, "\(outcome)")
            #expect(lines.dropFirst(2).first == "status 0", "\(outcome)")
            #expect(lines.last == "status 0" && lines.contains { $0.hasPrefix("not installed\tgood\t") }, "\(outcome)")
            let errors = outcome.errors.split(separator: "\n")
            #expect(errors.contains { $0.contains("not signed") }, "\(outcome)")
            #expect(errors.count { $0.contains("damaged.json") } == 1, "\(outcome)")
        }

        @Test func aCatalogIsForgotten() async throws {
            let outcome = try await tests.models(
                """
                "$dictate" models install good --catalog "$CATALOG"
                for _ in 1 2; do "$dictate" models forget "$CATALOG"; echo "status $?"; done
                "$dictate" models list --locale eo-AU | cut -f 1,2
                """)
            let lines = outcome.output.split(separator: "\n").map(String.init)
            #expect(lines.dropFirst().prefix(2) == ["status 0", "status 2"], "\(outcome)")
            #expect(lines.last == "installed\tgood" && outcome.errors.contains("There is none."), "\(outcome)")
        }

        /// The command does not report a model as removed if it was not installed.
        @Test func whatIsNotInstalledHereIsNotRemoved() async throws {
            let outcome = try await tests.models(
                """
                "$dictate" models remove good --catalog "$CATALOG"; echo "status $?"
                "$dictate" models remove good --format json; echo "status $?"
                "$dictate" models remove pocketsphinx-en-us-debian; echo "status $?"
                "$dictate" models install pocketsphinx-en-us-debian; echo "status $?"
                "$dictate" models list --engine pocketsphinx --locale en-US | cut -f 1,2
                """)
            let lines = outcome.output.split(separator: "\n").map(String.init)
            try #require(lines.count == 9, "\(outcome)")
            #expect(lines[0] == "status 4")
            #expect(lines[1].contains(#""outcome":"failed""#) && lines[2] == "status 4")
            #expect(outcome.errors.contains("good: The model “good” is not installed, so there was nothing to remove."))
            #expect(lines[3] == "status 1")
            #expect(outcome.errors.contains("stays installed. Remove it with “sudo apt remove pocketsphinx-en-us”."))
            #expect(lines[4] == "pocketsphinx-en-us-debian: installed already" && lines[5] == "status 0")
            #expect(
                lines[6...] == [
                    "STATUS\tMODEL", "installed\tpocketsphinx-en-us-debian", "not installed\tpocketsphinx-en-us",
                ], "\(outcome)")
        }

        @Test func theDoctorSaysWhichLibraryWasFound() async throws {
            let folder = try Folder()
            let installed = try #require(
                ProcessInfo.processInfo.environment["DICTATION_SHERPA_ONNX"],
                "Set DICTATION_SHERPA_ONNX to the folder of sherpa-onnx.")
            let found = try await Program.run(["doctor", "--device", "no-such-device"])
            #expect(found.output.contains("  ✔ sherpa-onnx 2.0.1: \(installed)/lib/"), "\(found)")
            let missing = try await Program.run(
                ["doctor", "--device", "no-such-device"], environment: ["DICTATION_SHERPA_ONNX": folder.path])
            #expect(missing.output.contains(/✘ sherpa-onnx: There is no .*\n +→ .*dictate setup/), "\(missing)")
        }

        /// Programs read the list in a pipe, people in a terminal.
        @Test func theListFitsOnATerminal() async throws {
            let folder = try Folder()
            let environment = ["XDG_DATA_HOME": folder.path]
            let screen = try await TerminalTests.terminal(
                ["end"], [Program.dictate, "models", "list", "--locale", "mt-MT"], environment: environment)
            let lines = screen.screen.split(separator: "\n").dropFirst()
            #expect(
                lines.contains { $0.hasPrefix("sherpa-onnx-") && $0.contains("  not installed, ") }, "\(screen.screen)")
            #expect(
                lines.contains { $0.hasPrefix("    sherpa-onnx-offline: ") && $0.hasSuffix(" languages") },
                "\(screen.screen)")
            // No line goes on in the next.
            let beginnings = ["sherpa-onnx-", "    ", "unpinned: ", "size unknown: "]
            #expect(lines.allSatisfy { line in beginnings.contains { line.hasPrefix($0) } }, "\(screen.screen)")
            let piped = try await Program.run(["models", "list", "--locale", "mt-MT"], environment: environment)
            #expect(piped.output.hasPrefix("STATUS\tMODEL\tENGINE\tLOCALES\tSIZE\n"), "\(piped)")
            #expect(piped.output.contains(/\t[0-9]+ languages\t/), "\(piped)")
            #expect(piped.output.split(separator: "\n").allSatisfy { $0.count < 160 }, "\(piped)")
            let json = try await Program.run(
                ["models", "list", "--locale", "mt-MT", "--format", "json"], environment: environment)
            #expect(json.output.contains("\"mt-MT\""), "\(json)")
        }

        @Test func theProgressIsSeenOnATerminal() async throws {
            let outcome = try await tests.models(
                """
                exec /usr/bin/python3 "$fixtures/terminal.py" 'wait:MB' 'wait:good: installed' end -- \\
                    "$dictate" models install good --catalog "$CATALOG"
                """)
            let screen = try JSONDecoder().decode(TerminalTests.Screen.self, from: Data(outcome.output.utf8))
            #expect(screen.status == 0)
            #expect(screen.screen == "good: installed", "\(screen)")
        }

        /// Moonshine writes the final text, PocketSphinx shows text at once.
        @Test func theDoctorNamesBothModelsOfTheDefault() async throws {
            let outcome = try await tests.models(
                """
                mkdir -p "$XDG_DATA_HOME/swift-dictation/models"
                "$dictate" doctor --device no-such-device | grep 'no speech detectors'
                for name in moonshine-tiny-en speech-detectors; do
                    cp -r "$DICTATION_SHERPA_ONNX/../$name" "$XDG_DATA_HOME/swift-dictation/models"
                done
                "$dictate" doctor --device no-such-device
                speech=/usr/share/pocketsphinx/test/data/cards/001.wav
                "$dictate" transcribe --format json --words $speech
                "$dictate" transcribe --format json --context Stella $speech
                "$dictate" transcribe --format json --engine sherpa-onnx-offline $speech
                printf x >>"$XDG_DATA_HOME/swift-dictation/models/speech-detectors/smart-turn.onnx"
                "$dictate" transcribe --engine sherpa-onnx-offline $speech
                """)
            // The text comes all the same.
            #expect(outcome.errors.contains(/The speech detectors are damaged: .* Loudness decides what is speech\./))
            #expect(
                outcome.output.contains(
                    /✔ two-pass: model moonshine-tiny-en \+ en-us for en-US, loaded in [0-9.]+ s; the default:/),
                "\(outcome)")
            #expect(outcome.output.split(separator: "; the default:").count == 2, "\(outcome)")
            #expect(outcome.output.contains("    no speech detectors: loudness decides"), "\(outcome)")
            #expect(outcome.output.contains(/✔ speech detectors: .*speech-detectors\n/), "\(outcome)")
            let engines = outcome.output.matches(of: /"engine":"([^"]*)"/).map { String($0.1) }
            #expect(engines == ["two-pass", "pocketsphinx", "sherpa-onnx-offline"], "\(outcome)")
            #expect(
                outcome.errors.contains("pocketsphinx is used.")
                    && outcome.errors.contains("It gets more words wrong: in our measurements 45 of 100"),
                "\(outcome)")
            let words = try #require(outcome.output.firstMatch(of: /"words":\[(.*?)\]/)).1
            #expect(words.contains("\"start\":"), "the aligner found the times of the words")
        }

        @Test func theDoctorLoadsEveryModel() async throws {
            let outcome = try await tests.models(
                """
                "$dictate" models install good --catalog "$CATALOG"
                recording=/usr/share/pocketsphinx/test/data/cards/001.wav
                doctor() { "$dictate" doctor --device file:$recording; echo "status $?"; }
                doctor
                # The length stays the same, so that only the contents show the damage.
                printf spoilt | dd of="$XDG_DATA_HOME"/swift-dictation/models/good/en-us/mdef conv=notrunc 2>/dev/null
                doctor
                """)
            let runs = outcome.output.components(separatedBy: "status 0\n")
            try #require(runs.count == 3, "\(outcome)")
            for run in runs.prefix(2) {
                #expect(
                    run.contains(/✔ pocketsphinx: model en-us for en-US, loaded in [0-9.]+ s; the default:/), "\(run)")
            }
            #expect(runs[0].contains(/✔ pocketsphinx: model good for eo-AU, loaded in [0-9.]+ s\n/), "\(runs[0])")
            #expect(runs[1].contains(/✘ pocketsphinx: model good for eo-AU: .*\n +→/), "\(runs[1])")
        }
    }
}
