import Foundation
import Testing

/// Tests of `dictate serve`, with curl as its client.
@Suite struct ServeTests {
    /// Runs a script with a server whose address is `$address`, and returns the server's outcome behind the script's.
    private func serve(_ options: String, _ script: String, environment: [String: String] = [:]) async throws -> Outcome
    {
        let folder = try Folder()
        let tone = try folder.tone(seconds: 4)
        return try await Program.bash(
            """
            cd \(folder.path)
            "$dictate" serve --engine scripted --in-process --port 0 \(options) >address 2>log &
            for _ in $(seq 600); do grep -qs 'is ready' log && break; sleep 0.05; done
            address=$(head -n 1 address) tone=\(tone)
            \(script)
            kill -TERM $!; wait $!; echo "ended with $?"; cat log >&2
            """, environment: environment)
    }

    @Test func aClientOfOpenAIIsServed() async throws {
        let outcome = try await serve(
            "--name whisper-1",
            #"curl -qs "$address/audio/transcriptions" -F file=@"$tone" -F model=whisper-1 -F response_format=text"#)
        #expect(outcome.output == "one two three four one two three four\nended with 0\n", "\(outcome)")
        let entry = outcome.errors.split(separator: "\n").first { $0.hasPrefix("{") } ?? ""
        #expect(entry.contains(#""status":200"#) && entry.contains(#""audioSeconds":4"#) && !entry.contains("three"))
    }

    @Test func theTokenIsAskedForAndNeverShown() async throws {
        let outcome = try await serve(
            "--token-variable TOKEN",
            #"""
            curl -qs -o /dev/null -w '%{http_code}\n' "$address/models"
            curl -qs -o /dev/null -w '%{http_code}\n' -H 'Authorization: Bearer swordfish' "$address/models"
            """#, environment: ["TOKEN": "swordfish"])
        #expect(outcome.output == "401\n200\nended with 0\n", "\(outcome)")
        #expect(!outcome.errors.contains("swordfish"))
    }

    @Test func otherMachinesNeedAToken() async throws {
        let outcome = try await Program.run(["serve", "--engine", "scripted", "--address", "0.0.0.0", "--port", "0"])
        #expect(outcome.status == 2 && outcome.errors.contains("Without a token"), "\(outcome)")
        let several = try await Program.run(["serve", "--token-file", "a", "--token-variable", "B"])
        #expect(several.status == 2 && several.errors.contains("one place of the token"), "\(several)")
    }
}
