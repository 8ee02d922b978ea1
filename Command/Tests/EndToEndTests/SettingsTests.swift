import Foundation
import Testing

/// Settings that people change with the command and by hand, and a service that uses them.
@Suite struct SettingsTests {
    /// Runs bash lines in a folder of its own, with settings, and beside a service if `serve` is called.
    private func withSettings(
        _ settings: String?, _ lines: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 60)
        try FileManager.default.createDirectory(
            atPath: folder.file("config/dictation"), withIntermediateDirectories: true)
        if let settings {
            try Data(settings.utf8).write(to: URL(filePath: folder.file("config/dictation/settings.json5")))
        }
        try FileManager.default.copyItem(atPath: Program.script, toPath: folder.file("config/dictation/script.json"))
        return try await Program.bash(
            """
            cd '\(folder.path)'; export XDG_RUNTIME_DIR=$PWD/run XDG_STATE_HOME=$PWD/state XDG_CONFIG_HOME=$PWD/config
            mkdir run; file=config/dictation/settings.json5
            wait_for() { for _ in $(seq 600); do "$dictate" status | grep -q "$1" && return; sleep 0.05; done; false; }
            serve() { "$dictate" service "$@" --device 'file:\(tone)' 2>>service.log & service=$!; wait_for idle; }
            trap '[ -z "${service:-}" ] || kill -KILL $service 2>/dev/null' EXIT
            \(lines)
            """, within: 120)
    }

    /// Audio of a profile that is gone is neither lost nor forgotten, and an empty folder is removed.
    @Test func audioOfARemovedProfileIsTold() async throws {
        let outcome = try await withSettings(
            "{ profiles: { kept: {} } }",
            """
            mkdir -p state/dictation/profiles/{old,empty,kept}/audio; touch state/dictation/profiles/{old,kept}/audio/take.caf
            serve --engine scripted
            grep -o "audio without text of the profile “[a-z]*”" service.log
            ls state/dictation/profiles
            """)
        #expect(outcome.output == "audio without text of the profile “old”\nkept\nold\n", "\(outcome)")
    }

    @Test func aListIsExplained() async throws {
        let outcome = try await withSettings(nil, #""$dictate" settings set deliver.to elsewhere"#)
        #expect(outcome.status == 2 && outcome.errors.contains("Write a list of several as JSON"), "\(outcome)")
    }

    @Test func aListIsWrittenAsWords() async throws {
        let outcome = try await withSettings(
            nil,
            """
            "$dictate" settings set deliver.to clipboard; "$dictate" settings get deliver.to
            "$dictate" settings set deliver.to keyboard clipboard; "$dictate" settings get deliver.to
            "$dictate" settings get deliver | cut -f 1
            """)
        let names = ["to", "lineBreaks", "pasteKeys", "file", "command"].map { "deliver.\($0)\n" }.joined()
        #expect(outcome.output == "[\"clipboard\"]\n[\"keyboard\",\"clipboard\"]\n" + names, "\(outcome)")
    }

    @Test func aSettingIsChangedAndReadAndTheCommentsStay() async throws {
        let outcome = try await withSettings(
            "// mine\n{\n  language: \"de-DE\", // at home\n}\n",
            """
            "$dictate" settings get language
            "$dictate" settings set language fr-FR; "$dictate" settings set profiles.work.text.numbers true
            "$dictate" settings set context '["a b", "c"]'; "$dictate" settings get context
            cat $file
            "$dictate" settings unset profiles.work.text.numbers; "$dictate" settings get profiles.work.text.numbers
            "$dictate" settings get --json | jq -r '.language, .keepTexts, .["profiles.work.language"]'
            "$dictate" settings path
            """)
        #expect(
            outcome.output == """
                de-DE
                ["a b","c"]
                // mine
                {
                  language: "fr-FR", // at home
                  profiles: {
                    work: {
                      text: {
                        numbers: true,
                      },
                    },
                  },
                  context: ["a b","c"],
                }
                false
                fr-FR
                100
                fr-FR
                \(outcome.output.split(separator: "\n").last ?? "")

                """, "\(outcome)")
        #expect(outcome.output.hasSuffix("/config/dictation/settings.json5\n") && outcome.errors.isEmpty)
    }

    @Test func whatIsWrongNamesItsLine() async throws {
        let outcome = try await withSettings(
            "{\n  // Not a language.\n  language: 7,\n}\n",
            """
            "$dictate" settings get; echo $?
            "$dictate" settings set engine scripted; echo $?
            "$dictate" service; echo $?
            "$dictate" toggle; echo $?
            cat $file | wc -l
            echo '{}' >$file
            "$dictate" settings set langauge x; echo $?
            "$dictate" settings get langauge; echo $?
            "$dictate" settings set keepTexts many; echo $?
            cat $file
            """)
        #expect(outcome.output == "2\n2\n2\n2\n4\n2\n2\n2\n{}\n", "\(outcome)")
        let errors = outcome.errors.split(separator: "\n")
        #expect(errors.filter { $0.contains("Line 3 of") && $0.contains("language tag") }.count == 4, "\(outcome)")
        #expect(outcome.errors.contains("Did you mean “language”?"), "\(outcome)")
        #expect(outcome.errors.contains("whole number from 0 to 10000"), "\(outcome)")
    }

    @Test func aProfileHasItsOwnEngineAndDestination() async throws {
        let outcome = try await withSettings(
            """
            {
              engine: "scripted",
              profiles: {
                script: { model: "\(Program.script)", destination: "the editor", language: "de-DE" },
                broken: { engine: "no such engine" },
              },
            }
            """,
            """
            serve
            "$dictate" start --profile script; wait_for 'recording.*go forward'
            "$dictate" status --json | jq -r '.status | .profile, .locale'
            "$dictate" stop --json | jq -r '.profile, .destination'
            "$dictate" start; wait_for 'recording.*one'; "$dictate" stop | cut -c 1-3
            "$dictate" toggle --profile broken; echo $?
            "$dictate" hold --profile nobody; echo $?
            grep -c "The profile “broken” can't be used" service.log
            """)
        #expect(outcome.output == "script\nde-DE\nscript\nthe editor\none\n2\n2\n1\n", "\(outcome)")
        #expect(outcome.errors.contains("There is no engine “no such engine”"), "\(outcome)")
        #expect(outcome.errors.contains("“broken”, “script”"), "\(outcome)")
    }

    /// A service that is running uses new settings from its next take on, and the take that is under way goes on.
    @Test func newSettingsLoseNoTake() async throws {
        let outcome = try await withSettings(
            "{\n  engine: \"scripted\",\n}\n",
            """
            serve
            "$dictate" start; wait_for 'recording.*one two'
            "$dictate" settings set model '\(Program.script)'; echo $?
            wait_for 'recording.*three'; "$dictate" stop | cut -c 1-13
            "$dictate" start; wait_for 'recording.*go forward'; "$dictate" cancel
            sed -i 's/engine: "scripted"/engine: 1/' $file
            "$dictate" settings reload; echo $?
            "$dictate" start; wait_for 'recording.*go forward'; "$dictate" cancel; echo $?
            sed -i 's/engine: 1/engine: "scripted"/' $file
            "$dictate" settings unset model
            "$dictate" start; wait_for 'recording.*one'; "$dictate" stop | cut -c 1-3
            """)
        #expect(outcome.output == "0\none two three\n2\n0\none\n", "\(outcome)")
        #expect(outcome.errors.contains("Line 2 of"), "\(outcome)")
    }

    @Test func theCommandLineGoesBeforeTheSettings() async throws {
        let outcome = try await withSettings(
            "{ engine: \"scripted\", model: \"script.json\", keepTexts: 0, loadModelAhead: false }",
            """
            serve --script '\(Program.script)' --locale it-IT
            "$dictate" status --json | jq -r '.status.locale'
            "$dictate" start; wait_for 'recording.*go forward'; "$dictate" stop >/dev/null
            ls state/dictation 2>/dev/null | grep -c journal
            """)
        #expect(outcome.output == "it-IT\n0\n", "\(outcome)")
    }

    @Test func aPageShowsTheTextOnThisMachineOnly() async throws {
        let outcome = try await withSettings(
            "{ engine: \"scripted\" }",
            """
            serve
            "$dictate" captions >address 2>captions.log & captions=$!
            for _ in $(seq 200); do [ -s address ] && break; sleep 0.05; done
            address=$(cat address)
            curl -sS "$address" | grep -c '<title>Captions</title>'
            curl -sS -o /dev/null -w '%{http_code}\\n' "${address%/*/}/"
            curl -sS -o /dev/null -w '%{http_code}\\n' -H 'Host: example.com' "$address"
            curl -sS -o /dev/null -w '%{http_code}\\n' -H 'Origin: https://example.com' "${address}events"
            "$dictate" start; wait_for 'recording.*one two'
            curl -sSN --max-time 2 "${address}events" 2>/dev/null | grep -c '"text":"one two' | grep -vc '^0'
            kill -TERM $captions; wait $captions; echo $?
            """)
        #expect(outcome.output == "1\n404\n421\n403\n1\n0\n", "\(outcome)")
    }
}
