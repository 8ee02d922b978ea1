import Foundation
import Testing

/// Speech that is played into a null sink of a PulseAudio server, and comes back from its monitor as a microphone's.
@Suite(.serialized) struct MicrophoneTests {
    private static let speech = "/usr/share/pocketsphinx/test/data/goforward.raw"
    private static let play =
        "run:paplay --raw --rate=16000 --channels=1 --format=s16le \(speech) && sleep 1 && head -c 32000 /dev/zero"
        + " | paplay --raw --rate=16000 --channels=1 --format=s16le"

    private func live(_ steps: [String], _ options: [String]) async throws -> TerminalTests.Screen {
        try #require(
            FileManager.default.fileExists(atPath: Self.speech),
            "\(Self.speech) is missing; Scripts/install-dependencies installs it.")
        let outcome = try await Program.run(
            "/bin/bash",
            [
                Program.fixtures + "/with-pulse.sh", "/usr/bin/python3", Program.fixtures + "/terminal.py",
            ] + steps + ["--", Program.dictate, "live", "--engine", "pocketsphinx"] + options,
            environment: ["TERMINAL_LIMIT": "90"], within: 300)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try JSONDecoder().decode(TerminalTests.Screen.self, from: Data(outcome.output.utf8))
    }

    @Test func whatIsSaidIsOnTheScreen() async throws {
        let screen = try await live(
            ["wait:listening", Self.play, "dim:forward", "wait:meters", "key:\\x03", "end"], ["--meter"])
        #expect(screen.status == 0, "\(screen)")
        #expect(screen.screen.contains("go forward ten meters"), "\(screen.screen)")
        #expect(!screen.screen.contains("●"))
        #expect(screen.echo && screen.cursor)
    }

    @Test func aTakeStopsByItselfAfterSilence() async throws {
        let screen = try await live(["wait:listening", Self.play, "end"], ["--until-silence", "2"])
        #expect(screen.status == 0, "\(screen)")
        #expect(screen.screen.contains("forward ten meters"), "\(screen.screen)")
    }

    @Test func aMicrophoneThatGoesAwayTakesNothingSaidWithIt() async throws {
        let screen = try await live(
            [
                "wait:listening", Self.play, "dim:go forward", "run:kill $PULSE_PID", "wait:waiting for it",
                "key:\\x03", "end",
            ],
            [])
        #expect(screen.screen.contains("forward"), "\(screen.screen)")
        #expect([0, 3].contains(screen.status), "\(screen)")
        #expect(screen.echo && screen.cursor)
    }

    @Test func theDoctorHearsTheMicrophone() async throws {
        let outcome = try await Program.run(
            "/bin/bash",
            [
                Program.fixtures + "/with-pulse.sh", "/bin/bash", "-c",
                """
                while paplay --raw --rate=16000 --channels=1 --format=s16le \(Self.speech); do :; done 2>/dev/null &
                \(Program.dictate) doctor
                """,
            ], within: 120)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("✔ pocketsphinx: model"))
        #expect(outcome.output.contains("✔ microphone: heard"), "\(outcome)")
    }

    @Test func theDefaultDeviceIsMarked() async throws {
        let outcome = try await Program.run(
            "/bin/bash", [Program.fixtures + "/with-pulse.sh", Program.dictate, "devices"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.hasPrefix("* "), "\(outcome)")
    }
}
