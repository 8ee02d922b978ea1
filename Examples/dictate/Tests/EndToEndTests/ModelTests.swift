import Foundation
import Testing

/// Models from a server on loopback, into an empty store.
@Suite struct ModelTests {
    private func models(_ line: String) async throws -> Outcome {
        try await Program.run(
            "/bin/bash", [Program.fixtures + "/with-catalog.sh", "/bin/bash", "-c", line],
            environment: ["dictate": Program.dictate, "fixtures": Program.fixtures], within: 240)
    }

    @Test func aModelIsInstalledUsedVerifiedAndRemoved() async throws {
        let outcome = try await models(
            """
            "$dictate" models install good --catalog "$CATALOG" && "$dictate" models list --locale en-AU
            "$dictate" transcribe --locale en-AU /usr/share/pocketsphinx/test/data/librivox/*0880.wav
            "$dictate" models verify good
            printf x >>"$XDG_DATA_HOME"/swift-dictation/models/good/en-us/mdef
            "$dictate" models verify good; echo "status $?"
            "$dictate" models remove good && "$dictate" models list --locale en-AU
            """)
        let lines = outcome.output.split(separator: "\n")
        try #require(lines.count >= 6, "\(outcome)")
        #expect(lines[0] == "good: installed")
        #expect(lines[1].hasPrefix("installed\tgood\tpocketsphinx\ten-AU\t"))
        #expect(outcome.output.contains("young man\n"), "\(outcome)")
        #expect(outcome.output.contains("good: verified\n"))
        #expect(outcome.output.contains("status 4\n"))
        #expect(outcome.output.contains("good: removed\nsupported\tgood\t"), "\(outcome)")
    }

    @Test func aModelThatIsNotWhatItShouldBeIsNotInstalled() async throws {
        let outcome = try await models(
            """
            "$dictate" models install spoilt good --catalog "$CATALOG" --format json; echo "status $?"
            "$dictate" models list --locale en-AU
            """)
        #expect(!outcome.output.contains("status 0"))
        #expect(outcome.output.contains(#""id":"spoilt","outcome":"failed""#), "\(outcome)")
        // One that fails does not stop the others.
        #expect(outcome.output.contains(#""id":"good","outcome":"installed""#), "\(outcome)")
        #expect(outcome.output.contains("supported\tspoilt"))
    }

    @Test func aModelThatNothingIsKnownOfIsInstalledWhenTheUserSaysSo() async throws {
        let outcome = try await models(
            """
            "$dictate" models install loose --catalog "$CATALOG"; echo "status $?"
            "$dictate" models list --locale en-AU
            "$dictate" models install loose --allow-unpinned; echo "status $?"
            "$dictate" models remove loose
            "$dictate" models install loose; echo "status $?"
            "$dictate" models verify loose
            """)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "status 4", "\(outcome)")
        #expect(outcome.errors.contains("--allow-unpinned"))
        #expect(lines.contains { $0.hasPrefix("supported\tloose\t") && $0.hasSuffix(", unpinned") }, "\(outcome)")
        // Once installed, its hashes are known, and it needs no leave any more.
        #expect(
            lines.suffix(6) == [
                "loose: installed", "status 0", "loose: removed", "loose: installed", "status 0", "loose: verified",
            ], "\(outcome)")
    }

    @Test func theProgressIsSeenOnATerminal() async throws {
        let outcome = try await models(
            """
            exec /usr/bin/python3 "$fixtures/terminal.py" 'wait:MB' 'wait:good: installed' end -- \\
                "$dictate" models install good --catalog "$CATALOG"
            """)
        let screen = try JSONDecoder().decode(TerminalTests.Screen.self, from: Data(outcome.output.utf8))
        #expect(screen.status == 0)
        #expect(screen.screen == "good: installed", "\(screen)")
    }
}
