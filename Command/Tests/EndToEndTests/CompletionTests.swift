import Foundation
import Testing

/// Tests that ask the shells for their completions.
@Suite struct CompletionTests {
    private static let expected: [(words: String, offers: [String], refuses: [String])] = [
        ("tr", ["transcribe"], ["live"]),
        ("models ", ["list", "install", "verify", "remove"], ["transcribe"]),
        ("models li", ["list"], ["install"]),
        ("transcribe --for", ["--format"], ["--words"]),
        ("to", ["toggle"], ["stop"]),
        ("status --format ", ["text", "json", "waybar"], ["srt"]),
        ("live --", ["--device", "--until-silence", "--meter", "--words"], ["--jobs"]),
        ("transcribe --format ", ["text", "json", "srt", "vtt"], ["transcribe"]),
        ("transcribe a --engine p", ["pocketsphinx"], ["sherpa-onnx"]),
        ("completions ", ["bash", "zsh", "fish"], ["list"]),
        ("devices --format ", ["text", "json"], ["srt"]),
        ("models install pocketsphinx-", ["pocketsphinx-en-us", "pocketsphinx-fr"], ["MODEL", "list"]),
    ]

    private func check(_ offered: String, _ expectation: (words: String, offers: [String], refuses: [String])) {
        let offered = Set(offered.split(whereSeparator: \.isWhitespace).map(String.init))
        #expect(offered.isSuperset(of: expectation.offers), "\(expectation.words): \(offered)")
        #expect(offered.isDisjoint(with: expectation.refuses), "\(expectation.words): \(offered)")
    }

    @Test func bashCompletes() async throws {
        for expectation in Self.expected {
            let outcome = try await Program.bash(
                """
                source <("$dictate" completions bash)
                line='dictate \(expectation.words)'
                read -ra COMP_WORDS <<<"$line"
                [[ $line == *' ' ]] && COMP_WORDS+=('')
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _dictate
                printf '%s\\n' "${COMPREPLY[@]}"
                """)
            #expect(outcome.errors.isEmpty)
            check(outcome.output, expectation)
        }
    }

    @Test func bashCompletesFileNamesWithSpaces() async throws {
        let folder = try Folder()
        _ = try folder.tone("my note.wav", seconds: 0.1)
        let outcome = try await Program.bash(
            """
            source <("$dictate" completions bash); cd '\(folder.path)'
            COMP_WORDS=(dictate transcribe my) COMP_CWORD=2; _dictate; printf '%s\\n' "${COMPREPLY[@]}"
            """)
        #expect(outcome.output == "my note.wav\n", "\(outcome)")
    }

    @Test func fishCompletes() async throws {
        for expectation in Self.expected {
            let outcome = try await Program.run(
                "/usr/bin/fish",
                [
                    "--no-config", "-c",
                    "$dictate completions fish | source; complete -C 'dictate \(expectation.words)' | cut -f1",
                ],
                environment: ["dictate": Program.dictate])
            #expect(outcome.errors.isEmpty, "\(outcome)")
            check(outcome.output, expectation)
        }
    }

    @Test func zshCompletes() async throws {
        // zsh completes only in its line editor, so a terminal types into it.
        let folder = try Folder()
        let path = folder.file("_dictate")
        let completions = try await Program.run(["completions", "zsh"])
        try Data(completions.output.utf8).write(to: URL(filePath: path))
        let syntax = try await Program.run("/usr/bin/zsh", ["-n", path])
        #expect(syntax.status == 0 && syntax.errors.isEmpty, "\(syntax)")
        for expectation in Self.expected {
            let wait =
                expectation.offers.count > 1
                ? expectation.offers.map { "wait:\($0)" } : ["wait:\(expectation.offers[0])"]
            let outcome = try await Program.python(
                [
                    Program.fixtures + "/terminal.py", "wait:ready>",
                    "key:PS1='at'; fpath=('\(folder.path)' $fpath); autoload -Uz compinit; compinit -u -d '\(folder.path)/dump'; PS1='set> '\\r",
                    "wait:set>", "key:dictate \(expectation.words)\\t\\t",
                ] + wait + ["signal:SIGKILL", "end", "--", "/usr/bin/env", "PS1=ready> ", "zsh", "-f", "-i"],
                within: 60)
            #expect(outcome.status == 0, "\(expectation.words): \(outcome.errors)")
        }
    }
}
